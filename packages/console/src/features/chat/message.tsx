import type { Citation } from '@svc/contract/conversations';
import { ChevronRight, EyeOff, Headset } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { passageSearch } from '../../app/passage-search.ts';
import { useToolNames } from '../../app/tool-names.ts';
import { TextLink } from '../../app/workspace.tsx';
import { duration } from '../../format/time.ts';
import { classes } from '../../kit/classes.ts';
import { NameText, type State, StateBadge, StateIcon, TimeAgo } from '../../kit/labels.tsx';
import { Markdown } from '../../kit/markdown.tsx';
import { AttachmentList } from './attachment-list.tsx';
import type { ChatCall, ChatMessage } from './chat-types.ts';
import { ValueView } from './value-view.tsx';

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
  /** Seen by the team: the user is on the left, and whoever answers on the right. */
  isDesk?: boolean;
  interruptedText?: string;
}

export function Message(props: MessageProps) {
  const { message, name, meta, actions, afterCall, isMarked = false, isDesk = false } = props;
  const { interruptedText = 'Stopped before the end' } = props;
  const [citation, setCitation] = useState<number>();
  const isUser = message.role === 'user';
  const isRight = isUser !== isDesk;
  const { text, isStreaming, citations } = message;
  return (
    <article
      data-message={message.id}
      aria-label={name}
      aria-busy={isStreaming}
      className={classes(
        'group/message flex flex-col gap-1 [contain-intrinsic-size:auto_6rem]',
        !isStreaming && '[content-visibility:auto]',
        isRight && 'items-end',
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
            (isUser || isDesk) && 'max-w-[85%] rounded-lg px-3 py-2',
            isUser && (isDesk ? 'self-start bg-hover' : 'bg-selected'),
            message.role === 'operator' &&
              (isDesk ? 'bg-selected' : 'max-w-[72ch] border-accent border-l-2 pl-3'),
            message.role === 'assistant' &&
              (isDesk ? 'border border-line bg-surface' : 'w-full max-w-[72ch]'),
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
      {message.attachments.length > 0 && (
        <AttachmentList attachments={message.attachments} isRight={isRight} />
      )}
      {message.isInterrupted && <StateBadge state="info" text={interruptedText} isWrapping />}
      {message.withheld && <WithheldReply withheld={message.withheld} />}
      {citations.length > 0 && (
        <Citations citations={citations} shown={citation} onShow={setCitation} isRight={isRight} />
      )}
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

/** Props: `citations` of a message; `shown`, the number of the open one, counted from 1; `onShow` opens one or closes it. */
interface CitationsProps {
  citations: readonly Citation[];
  shown: number | undefined;
  onShow: (number: number | undefined) => void;
  isRight: boolean;
}

/** The sources of a reply as buttons; one opens its quote. */
function Citations({ citations, shown, onShow, isRight }: CitationsProps) {
  const open = shown === undefined ? undefined : citations[shown - 1];
  return (
    <div className="flex w-full max-w-[72ch] flex-col gap-2">
      <ul aria-label="Sources" className={classes('flex flex-wrap gap-1', isRight && 'justify-end')}>
        {citations.map((citation, index) => {
          const number = index + 1;
          return (
            <li key={`${citation.knowledge_id}-${number}`} className="min-w-0">
              <button
                type="button"
                aria-expanded={shown === number}
                onClick={() => onShow(shown === number ? undefined : number)}
                className={classes(
                  'flex max-w-full items-center gap-1 rounded-sm border px-1.5 py-0.5 text-xs hover:bg-hover pointer-coarse:min-h-11 pointer-coarse:px-3',
                  shown === number ? 'border-accent bg-selected text-ink' : 'border-line text-ink-2',
                )}
              >
                <span className="font-semibold text-accent-ink">{number}</span>
                <span className="truncate">
                  <NameText text={citation.title} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {open && (
        <blockquote className="rounded-md border border-line bg-surface px-3 py-2 text-sm">
          <p dir="auto" className="max-h-60 overflow-y-auto whitespace-pre-wrap break-words">
            {open.quote}
          </p>
          <footer className="mt-2 flex flex-wrap gap-x-3 text-ink-3 text-xs">
            <TextLink
              path={`/knowledge/${open.knowledge_id}`}
              search={passageSearch(open.quote)}
              className="underline-offset-2"
            >
              <NameText text={open.title} />
            </TextLink>
            <span>score {open.score.toFixed(2)}</span>
          </footer>
        </blockquote>
      )}
    </div>
  );
}

const states: Record<ChatCall['status'], { state: State; text: string }> = {
  proposed: { state: 'idle', text: 'not run' },
  waiting: { state: 'paused', text: 'waits' },
  started: { state: 'running', text: 'running' },
  ok: { state: 'success', text: 'ok' },
  error: { state: 'danger', text: 'failed' },
  denied: { state: 'info', text: 'denied' },
  unknown: { state: 'unknown', text: 'unknown: it may or may not have been carried out' },
};

/** Props: `call` (see chat-types.ts). One line; a press shows input and output. */
function ToolCallLine({ call }: { call: ChatCall }) {
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const name = useToolNames()(call.name);
  const { state, text } = states[call.status];
  const input = call.edited ?? call.input;
  return (
    <div className="w-full min-w-0 rounded-md border border-line text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover pointer-coarse:min-h-11"
      >
        <ChevronRight
          aria-hidden
          className={classes('size-4 shrink-0 text-ink-3 transition', isOpen && 'rotate-90')}
        />
        <span className="max-w-[60%] shrink-0 truncate font-medium">
          <NameText text={name} />
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-ink-3 text-xs">
          <NameText text={call.progress ?? JSON.stringify(input)} />
        </span>
        <span className="flex shrink-0 items-center gap-1 text-ink-2 text-xs">
          <StateIcon state={state} />
          {call.status === 'unknown' ? 'unknown' : text}
          {call.durationMs !== null && <span className="text-ink-3">{duration(call.durationMs)}</span>}
        </span>
      </button>
      {isOpen && (
        <div id={details} className="flex flex-col gap-3 border-line border-t px-3 py-2">
          {name !== call.name && (
            <p className="text-ink-3">
              The model calls it{' '}
              <code className="font-mono text-xs [overflow-wrap:anywhere]">
                <NameText text={call.name} />
              </code>
            </p>
          )}
          {call.status === 'unknown' && <p className="text-ink-2">The state is {text}.</p>}
          {call.edited && <ValueView label="Proposed" value={call.input} />}
          <ValueView label={call.edited ? 'Ran with' : 'Input'} value={input} />
          {call.output !== undefined && <ValueView label="Output" value={call.output} />}
        </div>
      )}
    </div>
  );
}
