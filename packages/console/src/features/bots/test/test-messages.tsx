import type { ReactNode } from 'react';
import { useWorkspace } from '../../../app/workspace.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { ApprovalCard } from '../../approvals/approval-card.tsx';
import { Message } from '../../chat/message.tsx';
import { MessageList } from '../../chat/message-list.tsx';
import { type ChatEntry, toChat } from '../../conversations/to-chat.ts';
import { TurnFacts } from './turn-facts.tsx';
import type { TestChatState } from './use-test-chat.ts';

interface TestMessagesProps {
  chat: TestChatState;
  bot: { id: string; name: string };
  /** Shown before the first message. */
  children: ReactNode;
}

/** The log of a test. */
export function TestMessages({ chat, bot, children }: TestMessagesProps) {
  const { user } = useWorkspace();
  const { state, pending, conversationId } = chat;
  const { approvals, turns } = state.conversation;
  const entries = toChat(state).filter(({ kind }) => kind !== 'working' || pending === undefined);
  const lastTurn = turns.at(-1);
  const afterCall = (callId: string) => {
    const approval = approvals.find(({ tool_call_id: id }) => id === callId);
    if (!approval) return null;
    // Events do not say what the person is called who answered.
    const isOwn = approval.resolved_by === `member:${user.id}`;
    const shown = isOwn ? { ...approval, resolved_by_name: user.name } : approval;
    return <ApprovalCard key={approval.id} approval={shown} isInline />;
  };
  return (
    <MessageList label={`Test of ${bot.name}`} anchorId={chat.sentId} isNarrow>
      {entries.length === 0 && pending === undefined && children}
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} botName={bot.name} afterCall={afterCall} />
      ))}
      {pending !== undefined && (
        <p className="max-w-[85%] self-end whitespace-pre-wrap break-words rounded-lg bg-sunken px-3 py-2 text-lg">
          {pending}
        </p>
      )}
      {conversationId && lastTurn?.ended_at && (
        <TurnFacts turn={lastTurn} conversationId={conversationId} botId={bot.id} />
      )}
    </MessageList>
  );
}

interface EntryProps {
  entry: ChatEntry;
  botName: string;
  afterCall: (callId: string) => ReactNode;
}

function Entry({ entry, botName, afterCall }: EntryProps) {
  if (entry.kind === 'working') return <StateBadge state="running" text="working" />;
  if (entry.kind === 'ending') {
    const { status, error } = entry.turn;
    return status === 'failed' ? (
      <p role="alert" className="rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm">
        {error?.message ?? 'The turn failed.'}
      </p>
    ) : (
      <StateBadge state="info" text="Stopped" />
    );
  }
  // Nobody is called in tests.
  if (entry.kind === 'latency') return null;
  const { message } = entry;
  const name = message.role === 'user' ? 'You' : (message.authorName ?? botName);
  return <Message message={message} name={name} afterCall={afterCall} />;
}
