import { createMarkdownView } from '@svc/markdown/create-markdown-view';
import { useEffect, useRef } from 'react';

interface MarkdownProps {
  text: string;
  /** More will be appended. */
  isStreaming?: boolean;
  /** Called for `[1]`, counted from one; undefined where there is no such source. */
  onCitation?: (number: number) => void;
  citationCount?: number;
}

interface Shown {
  text: string;
  citationCount: number;
  view: ReturnType<typeof createMarkdownView>;
}

/** A message as visitors see it. What is already shown stays as it is while text is appended. */
export function Markdown({ text, isStreaming = false, onCitation, citationCount = 0 }: MarkdownProps) {
  const container = useRef<HTMLDivElement>(null);
  const shown = useRef<Shown | undefined>(undefined);
  const citation = useRef(onCitation);
  citation.current = onCitation;
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const before = shown.current;
    // Sources are known only when a reply is complete: then its marks become buttons.
    if (!before || before.citationCount !== citationCount || !text.startsWith(before.text)) {
      element.replaceChildren();
      const view = createMarkdownView(element, {
        linkNote: 'opens in a new tab',
        citation: (number) => (number <= citationCount ? citationButton(number, citation) : undefined),
      });
      view.append(text);
      shown.current = { text, citationCount, view };
    } else if (text.length > before.text.length) {
      before.view.append(text.slice(before.text.length));
      shown.current = { ...before, text };
    }
    if (!isStreaming) {
      shown.current?.view.end();
      // A later change starts over.
      shown.current = undefined;
    }
  }, [text, isStreaming, citationCount]);
  return <div ref={container} dir="auto" className="markdown min-w-0 break-words" />;
}

function citationButton(
  number: number,
  onCitation: { current: ((number: number) => void) | undefined },
): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'citation';
  button.textContent = String(number);
  button.setAttribute('aria-label', `Source ${number}`);
  button.addEventListener('click', () => onCitation.current?.(number));
  return button;
}
