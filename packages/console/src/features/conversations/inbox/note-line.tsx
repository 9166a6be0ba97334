import type { ConversationNote } from '@svc/contract/conversations';
import { StickyNote } from 'lucide-react';
import { plannedTime } from '../../../format/time.ts';
import { NameText, TimeAgo } from '../../../kit/labels.tsx';

/** What was done with the conversation, or what somebody wrote for the team: a line between the messages. */
export function NoteLine({ note }: { note: ConversationNote }) {
  if (note.kind === 'written') return <WrittenNote note={note} />;
  return (
    <p className="flex flex-wrap items-baseline justify-center gap-x-2 text-center text-ink-3 text-sm [overflow-wrap:anywhere]">
      <span>
        <NameText text={textOf(note)} />
      </span>
      <TimeAgo at={note.created_at} className="text-xs" />
    </p>
  );
}

function WrittenNote({ note }: { note: ConversationNote }) {
  const { id, author_name: author, text, created_at: at } = note;
  return (
    <article
      data-message={id}
      aria-label={`Note by ${author ?? 'a program'}`}
      className="max-w-[72ch] rounded-md border border-line-strong border-dashed bg-surface px-3 py-2"
    >
      <header className="flex flex-wrap items-center gap-x-2 text-ink-3 text-xs">
        <StickyNote aria-hidden className="size-3.5" />
        <span className="font-medium text-ink-2">
          <NameText text={author ?? 'A program'} />
        </span>
        <TimeAgo at={at} />
        <span>Only the team sees this.</span>
      </header>
      <p dir="auto" className="whitespace-pre-wrap break-words text-base">
        {text}
      </p>
    </article>
  );
}

/** In the past tense, beginning with the person. */
function textOf({ kind, author_name: author, text }: ConversationNote): string {
  const who = author ?? 'A program';
  switch (kind) {
    case 'handed_off':
      return `The bot asked for a person${text ? `: ${text}` : ''}`;
    case 'taken_over':
      return `${who} took over${text ? `: ${text}` : ''}`;
    case 'handed_back':
      return `${who} handed it back to the bot`;
    case 'assigned':
      if (text === null) return `${who} assigned it to nobody`;
      // Programs have keys, which have no names either.
      if (author === null) return `Assigned to ${text}`;
      return text === author ? `${who} took it on` : `${who} assigned it to ${text}`;
    case 'snoozed':
      return `${who} snoozed it${text ? ` until ${plannedTime(new Date(text))}` : ''}`;
    case 'resolved':
      return `${who} resolved it`;
    case 'reopened':
      return `${who} reopened it`;
    case 'written':
      return text ?? '';
  }
}
