import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents, fullStateOf } from '@svc/client/full-conversation';
import { readServerEvents } from '@svc/client/server-events';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { plainText } from '@svc/markdown/plain-text';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { sendTestMessage } from '../../../api/bots.ts';
import { keys } from '../../../api/client.ts';
import { type ConversationState, stopTurn } from '../../../api/conversations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { serverNow } from '../../../format/server-time.ts';
import { announce } from '../../../kit/announce.ts';
import { useConversationEvents } from '../../../live/use-conversation-events.ts';
import type { BotEditorContext } from '../editor/editor-context.tsx';

export interface TestChatState {
  state: ConversationState;
  /** Undefined before the first message. */
  conversationId: string | undefined;
  /** What was just written and is not part of the conversation yet. */
  pending: string | undefined;
  /** The message that was sent last: it moves to the top. */
  sentId: string | undefined;
  /** A reply is being written. */
  isRunning: boolean;
  /** Throws if it could not be sent. */
  send(text: string): Promise<void>;
  stop(): Promise<void>;
  /** Begins a new conversation. A turn that is still open is stopped: its calls would not be shown. */
  startOver(): Promise<void>;
}

/** What is kept of a test while its tester looks at another page, such as the passage that a reply cites. */
type KeptTest = Pick<TestChatState, 'state' | 'conversationId' | 'sentId'>;

/** A conversation with the draft of a bot. Every message is answered by the form as it is when it is sent. */
export function useTestChat({ bot, keepDraft }: BotEditorContext): TestChatState {
  const { api } = useWorkspace();
  const fresh = useMemo(() => emptyTest({ id: bot.id, name: bot.name, version: bot.version }), [bot]);
  const queries = useQueryClient();
  const keptKey = useMemo(() => keys.one(api, 'bot', bot.id, 'test'), [api, bot.id]);
  const [kept] = useState(() => queries.getQueryData<KeptTest>(keptKey));
  const [state, setState] = useState(kept?.state ?? fresh);
  const [conversationId, setConversationId] = useState(kept?.conversationId);
  const [pending, setPending] = useState<string>();
  const [sentId, setSentId] = useState(kept?.sentId);
  const [isStreaming, setStreaming] = useState(false);
  /** Counts conversations, so that a stream of an earlier one changes nothing. */
  const round = useRef(0);

  const receive = useCallback((events: readonly FullEvent[]) => {
    const now = new Date(serverNow());
    setState((before) => applyFullEvents(before, events, now));
    for (const { type, data } of events) {
      if (type === 'turn.started') {
        setConversationId(data.conversation_id);
        setSentId(data.user_message.id);
        setPending(undefined);
      }
      if (type === 'message.completed') announce(plainText(data.message.content));
      if (type === 'turn.paused') announce('A call waits for your approval.', 'assertive');
    }
  }, []);

  const latest = useRef<KeptTest>(undefined);
  latest.current = { state, conversationId, sentId };
  useEffect(() => () => void queries.setQueryData(keptKey, latest.current), [queries, keptKey]);

  // After a pause the turn continues without the request that began it.
  useConversationEvents(conversationId, {
    after: state.lastEventId,
    isEnabled: conversationId !== undefined && !isStreaming,
    onEvents: receive,
  });

  async function send(text: string): Promise<void> {
    const current = round.current;
    setPending(text);
    setStreaming(true);
    try {
      const draft = await keepDraft();
      if (round.current !== current) return;
      const message = { message: text, draft, ...(conversationId && { conversation_id: conversationId }) };
      const response = await sendTestMessage(api, bot.id, message);
      // The composer is free again: the reply is shown where it is written.
      void follow(response, current);
    } catch (error) {
      if (round.current !== current) return;
      setPending(undefined);
      setStreaming(false);
      throw error;
    }
  }

  async function stop(id = conversationId): Promise<void> {
    if (id) await stopTurn(api, id);
  }

  async function follow(response: Response, current: number): Promise<void> {
    try {
      for await (const events of readServerEvents<FullEvent>(response.body)) {
        if (events.length === 0) continue;
        // Only now is it known which turn to stop.
        if (round.current !== current) return await stop(startedIn(events));
        receive(events);
      }
    } catch {
      // The connection was lost: the socket continues where it ended, if the conversation is still shown.
    } finally {
      if (round.current === current) setStreaming(false);
    }
  }

  return {
    state,
    conversationId,
    pending,
    sentId,
    isRunning: pending !== undefined || state.conversation.status === 'running',
    send,
    stop: () => stop(),
    async startOver() {
      const isOpen = state.conversation.status === 'running' || state.conversation.status === 'paused';
      round.current += 1;
      setState(fresh);
      setConversationId(undefined);
      setPending(undefined);
      setSentId(undefined);
      setStreaming(false);
      if (isOpen) await stop();
    },
  };
}

function startedIn(events: readonly FullEvent[]): string | undefined {
  return events.find((event) => event.type === 'turn.started')?.data.conversation_id;
}

/** A test before its first event. Its id is not known until its first turn has started. */
function emptyTest(bot: { id: string; name: string; version: number }): ConversationState {
  const now = new Date(serverNow()).toISOString();
  const conversation = {
    id: '',
    bot_id: bot.id,
    channel: 'test',
    status: 'idle',
    title: '',
    created_at: now,
    updated_at: now,
    message_count: 0,
    needs_human: null,
    last_event_id: 0,
    bot: { name: bot.name, bot_type: 'chatbot', version: bot.version, is_inactive: false, is_traced: false },
    cost_usd: '0',
    unpriced_models: [],
    messages: [],
    turns: [],
    calls: [],
    approvals: [],
    notes: [],
  };
  // What the pieces of a chat do not show is left out.
  return fullStateOf(conversation as unknown as ConsoleConversation, 0);
}
