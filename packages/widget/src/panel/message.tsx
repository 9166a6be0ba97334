/** @jsxImportSource preact */
import type { MarkdownOptions } from '@svc/markdown/markdown-view';
import { safeHref } from '@svc/markdown/safe-href';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatCitation, ChatMessage } from '../client/chat-state.ts';
import { MarkdownText } from './markdown-text.tsx';
import { fill, type Texts } from './texts.ts';
import type { Viewing } from './view.ts';

interface MessageInput extends Viewing {
  message: ChatMessage;
  /** Whether it is the first of several messages of the same author. */
  isFirst: boolean;
}

export function Message({ message, isFirst, view: { look, texts, useFiles } }: MessageInput) {
  const { id, from, text, state, citations, attachments } = message;
  if (from === 'note') {
    return (
      <p class="divider" id={id}>
        {text}
      </p>
    );
  }
  const [cited, setCited] = useState<number>();
  const element = useRef<HTMLDivElement>(null);
  const name = { visitor: texts.you, bot: look?.title ?? '', person: message.author ?? texts.team }[from];
  const options: MarkdownOptions = {
    linkNote: texts.newTab,
    citation(number) {
      const citation = citations[number - 1];
      const toggle = () => setCited((shown) => (shown === number ? undefined : number));
      return citation && citationButton(number, citation, texts, toggle);
    },
  };
  useLayoutEffect(() => {
    for (const button of element.current?.querySelectorAll('.citation') ?? []) {
      button.ariaExpanded = String(button.textContent === String(cited));
    }
  }, [cited, text, citations.length]);
  const citation = cited === undefined ? undefined : citations[cited - 1];

  return (
    <div ref={element} class={`message ${from} ${isFirst ? 'first' : ''}`}>
      <span class={from === 'person' && isFirst ? 'author' : 'hidden'}>{name}</span>
      <div class="bubble" id={id}>
        {from === 'visitor' ? (
          <p class="text" dir="auto">
            {text}
          </p>
        ) : (
          <MarkdownText
            // A preview has no citations: those of the complete message are drawn with it.
            key={citations.length}
            text={text}
            isComplete={state !== 'streaming'}
            options={options}
          />
        )}
      </div>
      {attachments && (
        <div class="files sent" ref={(place) => useFiles((files) => files.show(place, attachments))} />
      )}
      {citation && <Quote citation={citation} texts={texts} />}
      {state === 'interrupted' && <p class="note">{texts.stopped}</p>}
    </div>
  );
}

function Quote({ citation, texts }: { citation: ChatCitation; texts: Texts }) {
  const element = useRef<HTMLQuoteElement>(null);
  const href = citation.sourceUrl ? safeHref(citation.sourceUrl) : undefined;
  useLayoutEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [citation]);
  return (
    <blockquote class="quote" dir="auto" ref={element}>
      <cite>{citation.title}</cite>
      <p>{citation.quote}</p>
      {href && (
        <a class="away" href={href} target="_blank" rel="noopener noreferrer nofollow">
          {texts.openSource}
          <span class="hidden"> {texts.newTab}</span>
        </a>
      )}
    </blockquote>
  );
}

function citationButton(
  number: number,
  { title }: ChatCitation,
  texts: Texts,
  onClick: () => void,
): HTMLElement {
  const button = Object.assign(document.createElement('button'), {
    className: 'citation',
    textContent: String(number),
    ariaLabel: `${fill(texts.source, number)}: ${title}`,
  });
  button.addEventListener('click', onClick);
  return button;
}
