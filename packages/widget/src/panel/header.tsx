/** @jsxImportSource preact */
import type { View } from './view.ts';

export function Header({ view: { look, texts, close } }: { view: View }) {
  return (
    <header>
      <h2 id="title">{look?.title}</h2>
      <p>{look?.greeting_text}</p>
      <button type="button" aria-label={texts.close} onClick={close}>
        ×
      </button>
    </header>
  );
}
