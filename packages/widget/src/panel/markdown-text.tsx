/** @jsxImportSource preact */
import { createMarkdownView } from '@svc/markdown/create-markdown-view';
import type { MarkdownView } from '@svc/markdown/markdown-view';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ChatMessage } from '../client/chat-state.ts';
import type { Texts } from './texts.ts';

interface Shown {
  view: MarkdownView;
  text: string;
  isDone: boolean;
}

/** Adds only what is new to what is shown already, so that a long answer costs little while it is being written. */
export function MarkdownText({ message, texts }: { message: ChatMessage; texts: Texts }) {
  const container = useRef<HTMLDivElement>(null);
  const shown = useRef<Shown>(undefined);
  const isDone = message.state !== 'streaming';
  useLayoutEffect(() => {
    if (!container.current) return;
    let current = shown.current;
    if (!current || current.isDone || !message.text.startsWith(current.text)) {
      container.current.replaceChildren();
      const view = createMarkdownView(container.current, { linkNote: texts.newTab });
      current = { view, text: '', isDone: false };
    }
    current.view.append(message.text.slice(current.text.length));
    if (isDone) current.view.end();
    shown.current = { view: current.view, text: message.text, isDone };
  }, [message.text, isDone]);
  return <div class="text" dir="auto" ref={container} />;
}
