import type { ApprovalDetail } from '@svc/contract/approvals';
import type { ConsoleTurn } from '@svc/contract/console-conversation';
import { memo } from 'react';
import { StateBadge, StateIcon } from '../../kit/state-badge.tsx';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { ApprovalOutcome } from '../approvals/approval-outcome.tsx';
import { Message } from '../chat/message.tsx';
import { LatencyBar } from './call/latency-bar.tsx';
import { MessageActions, MessageMeta } from './message-notes.tsx';
import type { ChatEntry } from './to-chat.ts';

export interface LogActions {
  onTrace: (turnId: string) => void;
  onTruncate: (messageId: string) => void;
}

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
  isLast: boolean;
  isMarked: boolean;
  actions: LogActions;
}

/** One thing in the log of a conversation. Memoized: most of them never change. */
export const LogEntry = memo(function LogEntry(props: LogEntryProps) {
  const { entry, approvals, longest, isCall, isLast, isMarked, actions } = props;
  if (entry.kind === 'latency') return <LatencyBar turn={entry.turn} longest={longest} />;
  if (entry.kind === 'ending') return <TurnEnding turn={entry.turn} />;
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
      meta={source && <MessageMeta message={source} onTrace={actions.onTrace} />}
      actions={source && <MessageActions message={source} isLast={isLast} onTruncate={actions.onTruncate} />}
      afterCall={(callId) => <CallApproval approval={approvals.get(callId)} />}
      isMarked={isMarked}
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
function TurnEnding({ turn }: { turn: ConsoleTurn }) {
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
    </p>
  );
}
