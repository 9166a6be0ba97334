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
    const { current: element } = container;
    if (!element) return;
    let { current: known } = shown;
    if (!known || known.isComplete || !text.startsWith(known.text)) {
      element.replaceChildren();
      known = { view: createMarkdownView(element, options), text: '', isComplete };
    }
    known.view[isComplete ? 'end' : 'append'](text.slice(known.text.length));
    shown.current = { ...known, text, isComplete };
  }, [text, isComplete]);
  return <div class="text" dir="auto" ref={container} />;
}
