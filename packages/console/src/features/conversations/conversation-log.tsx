import { useEffect, useMemo, useRef, useState } from 'react';
import type { ConversationState } from '../../api/conversation.ts';
import { MessageList } from '../chat/message-list.tsx';
import { CallHooks } from './call/call-hooks.tsx';
import { totalOf } from './call/latency.ts';
import { type LogActions, LogEntry } from './log-entry.tsx';
import { storedEntries, unfinishedEntries } from './to-chat.ts';

interface ConversationLogProps {
  state: ConversationState;
  /** The message that a link names. */
  markedId: string | undefined;
  onTrace: (turnId: string) => void;
  onTruncate: (messageId: string) => void;
}

/** While a reply is written, only the reply is drawn again: a conversation can have thousands of messages. */
export function ConversationLog({ state, markedId, onTrace, onTruncate }: ConversationLogProps) {
  const { conversation, results, progress } = state;
  const stored = useMemo(
    () => storedEntries({ conversation, results, progress }),
    [conversation, results, progress],
  );
  const approvals = useMemo(
    () => new Map(conversation.approvals.map((approval) => [approval.tool_call_id, approval])),
    [conversation.approvals],
  );
  const actions = useLatest({ onTrace, onTruncate });
  const entries = [...stored, ...unfinishedEntries(state)];
  const { call } = conversation;
  const caller = call
    ? ((call.direction === 'outbound' ? call.to_number : call.from_number) ?? 'Caller')
    : null;
  const longest = Math.max(0, ...(call?.turns.flatMap((turn) => totalOf(turn) ?? []) ?? []));
  const lastId = conversation.messages.at(-1)?.id;
  return (
    <MessageList label="Messages" startId={markedId}>
      {entries.map((entry) => (
        <LogEntry
          key={entry.id}
          entry={entry}
          // The user of a test is a member, whose id says nothing.
          userName={conversation.channel === 'test' ? 'Tester' : (conversation.external_user_id ?? caller)}
          botName={conversation.bot.name}
          approvals={approvals}
          longest={longest}
          isCall={call !== undefined}
          isLast={entry.id === lastId}
          isMarked={entry.id === markedId}
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
  }));
  return stable;
}
