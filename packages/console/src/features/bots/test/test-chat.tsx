import type { ConsoleTurn } from '@svc/contract/console-conversation';
import { ExternalLink, RotateCcw } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { modelsQuery } from '../../../api/bots.ts';
import { PageLink, TextLink, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { duration } from '../../../format/time.ts';
import { IconButton } from '../../../kit/buttons.tsx';
import { Cost } from '../../../kit/cost.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { ApprovalCard } from '../../approvals/approval-card.tsx';
import { Composer } from '../../chat/composer.tsx';
import { Message } from '../../chat/message.tsx';
import { MessageList } from '../../chat/message-list.tsx';
import { type ChatEntry, toChat } from '../../conversations/to-chat.ts';
import { useBotEditor } from '../editor/editor-context.tsx';
import { BuiltInNote } from './built-in-note.tsx';
import { Suggestions, useReadiness } from './suggestions.tsx';
import type { TestChatState } from './use-test-chat.ts';

/** The chat beside the form of a bot: it runs what is not saved yet, and visitors see nothing of it. */
export function TestChat({ chat }: { chat: TestChatState }) {
  const { bot, form, changes } = useBotEditor();
  const models = useRead(modelsQuery);
  const readiness = useReadiness(bot.id);
  const [error, setError] = useState<unknown>();
  const hasAnswer = chat.state.conversation.turns.some(({ status }) => status === 'completed');
  const isBuiltIn = (form.settings.model ?? models.data?.default_model)?.startsWith('builtin/') ?? false;

  function attempt(work: Promise<void>): void {
    setError(undefined);
    work.catch(setError);
  }
  /** A question that was clicked has no field that could keep it. */
  const ask = (question: string) => attempt(chat.send(question));
  useAskedQuestion(reasonNotToSend(bot.status, readiness.isWaiting, chat) === undefined, ask);

  return (
    <section aria-label="Test" className="flex h-full min-h-0 flex-col bg-surface">
      <header className="flex h-11 shrink-0 items-center gap-2 border-line border-b px-4 text-sm">
        <h2 className="font-semibold">Test</h2>
        <span className="text-ink-3">
          {changes.length > 0 ? 'on your draft' : `on version ${bot.version}`}
        </span>
        <IconButton
          label="New conversation"
          icon={<RotateCcw aria-hidden />}
          onPress={() => attempt(chat.startOver())}
          className="ml-auto"
        />
      </header>
      <TestMessages chat={chat} bot={bot}>
        <Suggestions
          botId={bot.id}
          greeting={form.settings.chat_greeting ?? undefined}
          readiness={readiness}
          onAsk={ask}
        />
      </TestMessages>
      {error !== undefined && (
        <div className="px-4 pb-2">
          <InlineError error={error} />
        </div>
      )}
      {hasAnswer && (
        <div className="flex flex-col gap-1 px-4 pb-2 text-sm">
          {isBuiltIn && models.data && <BuiltInNote variables={models.data.variables} />}
          <TextLink path={`/widgets/${bot.id}`} className="flex w-fit items-center gap-1 underline-offset-2">
            <ExternalLink aria-hidden className="size-4" />
            Put it on your site
          </TextLink>
        </div>
      )}
      <Composer
        label="Message"
        placeholder="Ask something…"
        onSend={chat.send}
        onStop={chat.isRunning && chat.conversationId ? () => attempt(chat.stop()) : undefined}
        disabledReason={reasonNotToSend(bot.status, readiness.isWaiting, chat)}
      />
    </section>
  );
}

function reasonNotToSend(
  status: 'active' | 'inactive',
  isWaiting: boolean,
  { state }: TestChatState,
): string | undefined {
  if (status === 'inactive') return 'This bot is inactive. Activate it to test it.';
  if (isWaiting) return 'Just a moment: its knowledge is being read.';
  if (state.conversation.needs_human)
    return 'It has asked for a person. Start a new conversation to continue.';
  return state.conversation.status === 'paused' ? 'A call waits for your approval above.' : undefined;
}

interface TestMessagesProps {
  chat: TestChatState;
  bot: { id: string; name: string };
  /** Shown before the first message. */
  children: ReactNode;
}

/** The log of a test. */
function TestMessages({ chat, bot, children }: TestMessagesProps) {
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
    const { turn } = entry;
    return turn.status === 'failed' ? (
      <p role="alert" className="rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm">
        {turn.error?.message ?? 'The turn failed.'}
      </p>
    ) : (
      <StateBadge state="info" text="Stopped" />
    );
  }
  // Nobody is called in tests, and nobody hands them over.
  if (entry.kind === 'latency' || entry.kind === 'note') return null;
  const { message } = entry;
  const name = message.role === 'user' ? 'You' : (message.authorName ?? botName);
  return <Message message={message} name={name} afterCall={afterCall} />;
}

interface TurnFactsProps {
  turn: ConsoleTurn;
  conversationId: string;
  botId: string;
}

/** How long a reply took and what it cost, and where to look further. */
function TurnFacts({ turn, conversationId, botId }: TurnFactsProps) {
  if (!turn.ended_at) return null;
  const took = new Date(turn.ended_at).getTime() - new Date(turn.started_at).getTime();
  const link = 'text-accent-ink underline underline-offset-2 pointer-coarse:-my-3 pointer-coarse:py-3.5';
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-ink-3 text-xs">
      <span>{duration(took)}</span>
      <span>
        <Cost {...turn} />
      </span>
      <PageLink
        path={`/conversations/${conversationId}`}
        search={{ panel: 'trace', turn: turn.id }}
        className={link}
      >
        Trace
      </PageLink>
      <PageLink
        path={`/bots/${botId}/evaluations`}
        search={{ scenario: 'new', conversation: conversationId }}
        className={link}
      >
        Save as scenario
      </PageLink>
    </p>
  );
}

/** Asks the question in the address, `?ask=`, once the bot can answer. */
function useAskedQuestion(isReady: boolean, ask: (question: string) => void): void {
  const [search, setSearch] = useSearchState();
  const question = search['ask'];
  const start = useEffectEvent((asked: string) => {
    setSearch({ ask: undefined });
    ask(asked);
  });
  useEffect(() => {
    if (question && isReady) start(question);
  }, [question, isReady]);
}
