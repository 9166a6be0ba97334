/** @jsxImportSource preact */
import { createMarkdownView } from '@svc/markdown/create-markdown-view';
import type { MarkdownOptions, MarkdownView } from '@svc/markdown/markdown-view';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface MarkdownTextInput {
  text: string;
  isComplete: boolean;
  options: MarkdownOptions;
}

/** Adds only what is new to what is shown already, so that a long answer costs little while it is being written. */
export function MarkdownText({ text, isComplete, options }: MarkdownTextInput) {
  const container = useRef<HTMLDivElement>(null);
  const shown = useRef<{ view: MarkdownView; text: string; isComplete: boolean }>(undefined);
  useLayoutEffect(() => {
    if (!container.current) return;
    let view = shown.current?.view;
    let known = shown.current?.text ?? '';
    // A complete message may have citations, which its preview has not.
    if (!view || isComplete || !text.startsWith(known)) {
      container.current.replaceChildren();
      view = createMarkdownView(container.current, options);
      known = '';
    }
    view.append(text.slice(known.length));
    if (isComplete) view.end();
    shown.current = { view, text, isComplete };
  }, [text, isComplete]);
  return <div class="text" dir="auto" ref={container} />;
}
