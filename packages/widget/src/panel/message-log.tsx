/** @jsxImportSource preact */
import { MarkdownText } from './markdown-text.tsx';
import type { View } from './view.ts';

export function MessageLog({ view: { store, texts } }: { view: View }) {
  return (
    <div class="log" role="log" aria-live="off" aria-label={texts.messages}>
      {store.get().messages.map((message) => (
        <MarkdownText key={message.id} message={message} texts={texts} />
      ))}
    </div>
  );
}
