import type { ApprovalDetail } from '@svc/contract/approvals';
import type { Branch } from '@svc/contract/branches';
import type { ConsoleMessage, ConsoleTurn } from '@svc/contract/console-conversation';
import type { Rating } from '@svc/contract/conversations';
import { Copy, Ellipsis, Pencil, RotateCcw, Scissors, ThumbsDown, ThumbsUp } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { ConversationState } from '../../api/conversations.ts';
import { useTechnical } from '../../app/technical.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { compactCount, money } from '../../format/numbers.ts';
import { personName } from '../../format/person-name.ts';
import { Button, copyText, IconButton } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { StateBadge, StateIcon } from '../../kit/labels.tsx';
import { Menu } from '../../kit/menu.tsx';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { ApprovalOutcome } from '../approvals/approval-outcome.tsx';
import { Message } from '../chat/message.tsx';
import { MessageList } from '../chat/message-list.tsx';
import { type Alternatives, alternativesOf } from './branches/alternatives.ts';
import { BranchSwitch } from './branches/branch-switch.tsx';
import { useCanBranch } from './branches/use-regenerate.ts';
import { CallHooks, LatencyBar } from './call/call-parts.tsx';
import { totalOf } from './call/latency.ts';
import { HearButton, markOf, marksOf } from './call/recording.tsx';
import { NoteLine } from './inbox/note-line.tsx';
import { type ChatEntry, storedEntries, unfinishedEntries } from './to-chat.ts';

interface ConversationLogProps {
  state: ConversationState;
  /** Nothing can be done with it: it is not what the user sees. */
  isReadOnly: boolean;
  /** The message that a link names. */
  markedId: string | undefined;
  /** The message where reading begins; the end if there is none. */
  startId: string | undefined;
  /** What the reader has sent last. */
  sentId: string | undefined;
  onTrace: (turnId: string) => void;
  onTruncate: (messageId: string) => void;
  /** Plays the recording of a call from here. */
  onHear: (atMs: number) => void;
  /** Has a message answered again. */
  onRegenerate: (messageId: string) => void;
  onEdit: (message: ConsoleMessage) => void;
  /** Shows another version of a message. */
  onShow: (branch: Branch) => void;
}

/** While a reply is written, only the reply is drawn again: a conversation can have thousands of messages. */
export function ConversationLog(props: ConversationLogProps) {
  const { state, isReadOnly, markedId, startId, sentId } = props;
  const { conversation, results, progress } = state;
  const stored = useMemo(
    () => storedEntries({ conversation, results, progress }),
    [conversation, results, progress],
  );
  const approvals = useMemo(
    () => new Map(conversation.approvals.map((approval) => [approval.tool_call_id, approval])),
    [conversation.approvals],
  );
  const actions = useLatest(props);
  const alternatives = useMemo(() => alternativesOf(conversation), [conversation]);
  const canBranch = useCanBranch(conversation) && !isReadOnly;
  const canHear = useWorkspace().can('operator');
  const isTechnical = useTechnical();
  const marks = useMemo(() => marksOf(canHear ? conversation.call : undefined), [canHear, conversation.call]);
  const { external_user_id: person, user_name: name } = conversation;
  const entries = [...stored, ...unfinishedEntries(state)];
  const { call } = conversation;
  const caller = call
    ? ((call.direction === 'outbound' ? call.to_number : call.from_number) ?? 'Caller')
    : null;
  const longest = Math.max(0, ...(call?.turns.flatMap((turn) => totalOf(turn) ?? []) ?? []));
  const lastId = conversation.messages.at(-1)?.id;
  return (
    <MessageList label="Messages" startId={startId} sentId={sentId}>
      {entries.map((entry, index) => (
        <LogEntry
          // The versions of a message take each other's place, so that the focus stays.
          key={alternatives.get(entry.id)?.branches[0]?.id ?? entry.id}
          entry={entry}
          // The user of a test is a member, whose id says nothing.
          userName={
            conversation.channel === 'test' ? 'Tester' : person === null ? caller : personName(person, name)
          }
          botName={conversation.bot.name}
          approvals={approvals}
          longest={longest}
          isCall={call !== undefined}
          hearAtMs={entry.kind === 'message' && entry.source ? markOf(marks, entry.source) : undefined}
          isLast={entry.id === lastId || entry === entries.at(-1)}
          alternatives={alternatives.get(entry.id)}
          // A greeting answers nothing.
          canBranch={canBranch && !(index === 0 && entry.kind === 'message' && entry.message.role !== 'user')}
          isReadOnly={isReadOnly}
          isMarked={entry.id === markedId}
          isTechnical={isTechnical}
          actions={actions}
        />
      ))}
      {entries.length === 0 && <p className="py-8 text-center text-ink-3">No messages yet.</p>}
      {call && <CallHooks hooks={call.hooks} />}
    </MessageList>
  );
}

/** Stays the same object, and calls what was given last. */
function useLatest(given: LogActions): LogActions {
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  });
  const [stable] = useState<LogActions>(() => ({
    onTrace: (turnId) => latest.current.onTrace(turnId),
    onTruncate: (messageId) => latest.current.onTruncate(messageId),
    onHear: (atMs) => latest.current.onHear(atMs),
    onRegenerate: (messageId) => latest.current.onRegenerate(messageId),
    onEdit: (message) => latest.current.onEdit(message),
    onShow: (branch) => latest.current.onShow(branch),
  }));
  return stable;
}

type LogActions = Omit<ConversationLogProps, 'state' | 'isReadOnly' | 'markedId' | 'startId' | 'sentId'>;

interface LogEntryProps {
  entry: ChatEntry;
  userName: string | null;
  botName: string;
  /** By call. */
  approvals: ReadonlyMap<string, ApprovalDetail>;
  /** The slowest answer of a call, in milliseconds. */
  longest: number;
  /** It was spoken: callers interrupt what they hear. */
  isCall: boolean;
  /** Where it begins in the recording. */
  hearAtMs: number | undefined;
  isLast: boolean;
  isMarked: boolean;
  /** Present if it was answered again or edited. */
  alternatives: Alternatives | undefined;
  canBranch: boolean;
  isReadOnly: boolean;
  /** Shows what it cost, and the way to its trace. */
  isTechnical: boolean;
  actions: LogActions;
}

/** One thing in the log of a conversation. Memoized: most of them never change. */
const LogEntry = memo(function LogEntry(props: LogEntryProps) {
  const { entry, approvals, longest, isCall, hearAtMs, isLast, isMarked, isTechnical, actions } = props;
  const { alternatives, canBranch, isReadOnly } = props;
  if (entry.kind === 'latency') return <LatencyBar turn={entry.turn} longest={longest} />;
  if (entry.kind === 'note') return <NoteLine note={entry.note} />;
  if (entry.kind === 'ending') {
    const retry = () => actions.onRegenerate(entry.messageId);
    return <TurnEnding turn={entry.turn} onRetry={isLast && canBranch ? retry : undefined} />;
  }
  if (entry.kind === 'working') {
    return (
      <p role="status">
        <StateBadge state="running" text="Working…" />
      </p>
    );
  }
  const { message, source } = entry;
  return (
    <Message
      message={message}
      name={nameOf(props, message)}
      meta={
        source && (
          <>
            {source.rating && <RatingMark rating={source.rating} comment={source.rating_comment} />}
            {hearAtMs !== undefined && <HearButton atMs={hearAtMs} onHear={actions.onHear} />}
            {isTechnical && <MessageMeta message={source} onTrace={actions.onTrace} />}
            {alternatives && <BranchSwitch alternatives={alternatives} onShow={actions.onShow} />}
          </>
        )
      }
      actions={
        source &&
        !isReadOnly && (
          <MessageActions message={source} isLast={isLast} canBranch={canBranch} actions={actions} />
        )
      }
      afterCall={(callId) => <CallApproval approval={approvals.get(callId)} />}
      isMarked={isMarked}
      isDesk
      {...(isCall && { interruptedText: 'The caller interrupted: this much was heard' })}
    />
  );
}, isSame);

/** Entries are created again with every event, but mostly of the same things. */
function isSame(before: LogEntryProps, after: LogEntryProps): boolean {
  const { entry: one, ...others } = before;
  const { entry: other } = after;
  const isSameEntry =
    one === other ||
    (one.kind === 'message' &&
      other.kind === 'message' &&
      one.message === other.message &&
      one.source === other.source) ||
    (one.kind === 'note' && other.kind === 'note' && one.note === other.note) ||
    (one.kind === 'latency' && other.kind === 'latency' && one.turn === other.turn) ||
    (one.kind === 'ending' && other.kind === 'ending' && one.turn === other.turn);
  return (
    isSameEntry &&
    Object.entries(others).every(([name, value]) => after[name as keyof LogEntryProps] === value)
  );
}

/** What a person was asked about a call, or what they answered. */
function CallApproval({ approval }: { approval: ApprovalDetail | undefined }) {
  if (!approval) return null;
  if (approval.status !== 'pending') return <ApprovalOutcome approval={approval} />;
  return (
    <div className="rounded-md border border-paused bg-surface p-3">
      <ApprovalCard approval={approval} isInline key={approval.id} />
    </div>
  );
}

function nameOf(
  { userName, botName }: Pick<LogEntryProps, 'userName' | 'botName'>,
  { role, authorName }: Extract<ChatEntry, { kind: 'message' }>['message'],
): string {
  if (role === 'user') return userName ?? 'User';
  return role === 'operator' ? (authorName ?? 'A person of the team') : botName;
}

const stoppers: Partial<Record<string, string>> = {
  api: 'through the API',
  operator: 'by a member of the team',
  user: 'by the user',
  truncate: 'because messages were removed',
};

/** Why a turn has no complete answer. */
function TurnEnding({ turn, onRetry }: { turn: ConsoleTurn; onRetry: (() => void) | undefined }) {
  const isFailed = turn.status === 'failed';
  return (
    <p
      className={
        isFailed
          ? 'flex flex-wrap items-center gap-2 rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm'
          : 'flex flex-wrap items-center gap-2 text-ink-2 text-sm'
      }
    >
      <StateIcon state={isFailed ? 'danger' : 'info'} />
      {isFailed ? (
        <>
          <span>Failed: {turn.error?.message ?? 'the reason is not known.'}</span>
          {turn.error && <code className="text-xs">{turn.error.code}</code>}
        </>
      ) : (
        <span>Stopped {stoppers[turn.stopped_by ?? ''] ?? ''}</span>
      )}
      {onRetry && (
        <Button size="small" icon={<RotateCcw aria-hidden />} onPress={onRetry}>
          Try again
        </Button>
      )}
    </p>
  );
}

/** What the user thinks of an answer. */
function RatingMark({ rating, comment }: { rating: Rating; comment: string | undefined }) {
  const Thumb = rating === 'up' ? ThumbsUp : ThumbsDown;
  const text = `Rated ${rating} by the user`;
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <span title={text} className={rating === 'up' ? 'text-success-ink' : 'text-danger-ink'}>
        <Thumb aria-hidden className="size-4" />
        <span className="sr-only">{text}</span>
      </span>
      {rating === 'down' && comment && (
        <button
          type="button"
          dir="auto"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className={classes(
            'text-start text-ink-2 pointer-coarse:min-h-11',
            isWhole
              ? 'whitespace-normal! order-last basis-full [overflow-wrap:anywhere]'
              : 'max-w-80 truncate',
          )}
        >
          “{comment}”
        </button>
      )}
    </>
  );
}

/** What a reply cost, and the way to its trace. */
function MessageMeta({ message, onTrace }: { message: ConsoleMessage; onTrace: (turnId: string) => void }) {
  const { turn_id: turnId, usage, cost_usd: cost, model } = message;
  if (message.role !== 'assistant') return null;
  return (
    <>
      {usage && (
        <span title={`${model}: ${usage.input_tokens} tokens read, ${usage.output_tokens} written`}>
          <span className="max-sm:hidden">
            {compactCount(usage.input_tokens)} → {compactCount(usage.output_tokens)} ·{' '}
          </span>
          {money(cost)}
        </span>
      )}
      {turnId && (usage || message.interrupted) && (
        <button
          type="button"
          onClick={() => onTrace(turnId)}
          className="rounded-sm text-accent-ink hover:underline pointer-coarse:min-h-11"
        >
          trace
        </button>
      )}
    </>
  );
}

interface MessageActionsProps {
  message: ConsoleMessage;
  isLast: boolean;
  canBranch: boolean;
  actions: LogActions;
}

const label = 'More about this message';

/**
 * A menu with its tooltip takes most of the time of drawing a message, and there can be thousands: until it is used, a plain
 * button stands for it. It is never exchanged under the pointer, because a press would be lost.
 */
function MessageActions(props: MessageActionsProps) {
  const [use, setUse] = useState<'focused' | 'pressed'>();
  if (use) return <MessageMenu {...props} isOpenAtFirst={use === 'pressed'} takesFocus={use === 'focused'} />;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-ink-2 pointer-coarse:size-11 [&_svg]:size-4"
      // A tap focuses it, too, but then the press follows.
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setUse('focused')}
      onClick={() => setUse('pressed')}
    >
      <Ellipsis aria-hidden />
    </button>
  );
}

interface MessageMenuProps extends MessageActionsProps {
  isOpenAtFirst: boolean;
  takesFocus: boolean;
}

function MessageMenu({ message, isLast, canBranch, actions, isOpenAtFirst, takesFocus }: MessageMenuProps) {
  const { can } = useWorkspace();
  const ofTurn = canBranch && message.turn_id !== null;
  return (
    <Menu
      label="Message"
      isOpenAtFirst={isOpenAtFirst}
      entries={[
        {
          label: 'Copy text',
          icon: <Copy aria-hidden />,
          onAction: () => void copyText(message.content),
        },
        {
          label: 'Copy link to this message',
          icon: <Copy aria-hidden />,
          onAction: () => void copyText(linkTo(message.id)),
        },
        ofTurn && {
          label: 'Answer again',
          description: 'Keeps the answer that is there',
          icon: <RotateCcw aria-hidden />,
          isFirstOfGroup: true,
          onAction: () => actions.onRegenerate(message.id),
        },
        ofTurn &&
          message.role === 'user' && {
            label: 'Edit…',
            icon: <Pencil aria-hidden />,
            onAction: () => actions.onEdit(message),
          },
        can('operator') &&
          !isLast && {
            label: 'Remove everything after this',
            description: 'Shows first what cannot be undone',
            icon: <Scissors aria-hidden />,
            isFirstOfGroup: true,
            isDangerous: true,
            onAction: () => actions.onTruncate(message.id),
          },
      ]}
    >
      <IconButton label={label} icon={<Ellipsis aria-hidden />} className="size-6" autoFocus={takesFocus} />
    </Menu>
  );
}

function linkTo(messageId: string): string {
  const url = new URL(location.href);
  url.search = `?message=${messageId}`;
  return url.href;
}
