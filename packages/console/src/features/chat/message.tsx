import { ChevronRight, EyeOff, Headset } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { classes } from '../../kit/classes.ts';
import { Markdown } from '../../kit/markdown.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import type { ChatMessage } from './chat-types.ts';
import { Citations } from './citations.tsx';
import { ToolCallLine } from './tool-call-line.tsx';

/**
 * Props: `message` (see chat-types.ts); `name`, who wrote it; `meta`, small text after the time such as a cost; `actions`, small
 * buttons beside it; `afterCall`, what follows a call such as its approval; `isMarked` for the message that a link names;
 * `interruptedText`, why the reply is not complete.
 */
interface MessageProps {
  message: ChatMessage;
  name: string;
  meta?: ReactNode;
  actions?: ReactNode;
  afterCall?: (callId: string) => ReactNode;
  isMarked?: boolean;
  interruptedText?: string;
}

export function Message(props: MessageProps) {
  const { message, name, meta, actions, afterCall, isMarked = false } = props;
  const { interruptedText = 'Stopped before the end' } = props;
  const [citation, setCitation] = useState<number>();
  const isOwn = message.role === 'user';
  const { text, isStreaming, citations } = message;
  return (
    <article
      data-message={message.id}
      aria-label={name}
      aria-busy={isStreaming}
      className={classes(
        'group/message flex flex-col gap-1 [contain-intrinsic-size:auto_6rem]',
        !isStreaming && '[content-visibility:auto]',
        isOwn && 'items-end',
        isMarked && 'rounded-md outline-2 outline-accent outline-offset-4',
      )}
    >
      <header className="flex min-h-6 max-w-full flex-wrap items-center gap-x-2 text-ink-3 text-xs [&>*]:whitespace-nowrap">
        {message.role === 'operator' && <Headset aria-hidden className="size-3.5" />}
        <span className="max-w-48 truncate font-medium text-ink-2" title={name}>
          <NameText text={name} />
        </span>
        {isStreaming ? <StateBadge state="running" text="writing" /> : <TimeAgo at={message.createdAt} />}
        {meta}
        {actions}
      </header>
      {(text || isStreaming) && (
        <div
          className={classes(
            'text-lg',
            isOwn && 'max-w-[85%] rounded-lg bg-sunken px-3 py-2',
            message.role === 'operator' && 'max-w-[72ch] border-accent border-l-2 pl-3',
            message.role === 'assistant' && 'w-full max-w-[72ch]',
          )}
        >
          {text ? (
            <Markdown
              text={text}
              isStreaming={isStreaming}
              citationCount={citations.length}
              onCitation={(number) => setCitation((shown) => (shown === number ? undefined : number))}
            />
          ) : (
            <span className="text-ink-3">…</span>
          )}
        </div>
      )}
      {message.isInterrupted && <StateBadge state="info" text={interruptedText} isWrapping />}
      {message.withheld && <WithheldReply withheld={message.withheld} />}
      {citations.length > 0 && <Citations citations={citations} shown={citation} onShow={setCitation} />}
      {message.calls.map((call) => (
        <div key={call.id} className="flex w-full flex-col gap-2">
          <ToolCallLine call={call} />
          {afterCall?.(call.id)}
        </div>
      ))}
    </article>
  );
}

/** What the model wrote and the user did not get. Only operators are sent it. */
function WithheldReply({ withheld }: { withheld: NonNullable<ChatMessage['withheld']> }) {
  const { text, score } = withheld;
  return (
    <details className="group/withheld w-full max-w-[72ch] rounded-md bg-warning-tint text-sm text-warning-ink">
      <summary className="flex items-center gap-1.5 px-3 py-2 font-medium pointer-coarse:min-h-11">
        <EyeOff aria-hidden className="size-4 shrink-0" />
        Refused: another answer was withheld
        {score !== null && <span className="font-normal">(score {score.toFixed(2)})</span>}
        <ChevronRight
          aria-hidden
          className="ml-auto size-4 shrink-0 transition group-open/withheld:rotate-90"
        />
      </summary>
      <p className="whitespace-pre-wrap break-words px-3 pb-2 text-ink">{text ?? 'It was not kept.'}</p>
    </details>
  );
}
