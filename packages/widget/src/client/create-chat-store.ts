import type { EndUserConversationDetail, VisitorMessage } from '@svc/contract/end-users';
import type { ChatMessage, ChatState, ChatStore } from './chat-state.ts';
import { applyEvent, emptyConversation, fromDetail } from './conversation.ts';
import { createSavedState } from './saved-state.ts';
import { readServerEvents, type ServerEvent } from './server-events.ts';
import { createWidgetApi } from './widget-api.ts';

export interface ChatStoreOptions {
  /** The origin of the service, such as `https://agents.example.com`. */
  service: string;
  /** The widget key of the page. */
  key: string;
  /** Undefined where the page's storage is blocked. */
  storage: Storage | undefined;
}

/** The conversation of this page's visitor. Nothing is requested before the panel is opened or a message is sent. */
export function createChatStore({ service, key, storage }: ChatStoreOptions): ChatStore {
  const closing = new AbortController();
  const { signal } = closing;
  const listeners = new Set<() => void>();
  const saved = createSavedState(storage, `svc:${key}`);
  const api = createWidgetApi(
    { service, key, fetch: (...input) => fetch(...input) },
    { saved, identity: null },
  );
  let conversation = emptyConversation;
  let outbox: readonly ChatMessage[] = [];
  let phase: ChatState['phase'] = 'empty';
  let isLoaded = false;
  let state = toState();

  function toState(): ChatState {
    return {
      phase,
      isOnline: true,
      messages: [...conversation.messages, ...outbox],
      activity: { idle: 'none', running: 'typing', paused: 'checking' }[conversation.status] as never,
      handedOff: conversation.isHandedOff,
      trouble: conversation.failure ? { kind: 'failed' } : null,
      unread: 0,
    };
  }

  function update(): void {
    state = toState();
    for (const listener of listeners) listener();
  }

  function apply(event: ServerEvent): undefined {
    if (event.type === 'turn.started') {
      saved.set({ conversationId: event.data.conversation_id });
      outbox = outbox.filter(({ text }) => text !== event.data.user_message.content);
      phase = 'ready';
    }
    conversation = applyEvent(conversation, event) ?? conversation;
    update();
  }

  async function load(): Promise<void> {
    const { conversationId } = saved.get();
    if (!conversationId || isLoaded) return;
    isLoaded = true;
    phase = 'loading';
    update();
    const response = await api(`conversations/${conversationId}`, { signal });
    conversation = fromDetail((await response.json()) as EndUserConversationDetail);
    phase = 'ready';
    update();
    const after = conversation.lastEventId;
    const stream = await api(`stream?conversation_id=${conversationId}&after=${after}`, { signal });
    if (stream.body) await readServerEvents(stream.body, apply);
  }

  async function deliver(text: string): Promise<void> {
    const { conversationId } = saved.get();
    const body: VisitorMessage = {
      message: text,
      ...(conversationId ? { conversation_id: conversationId } : { new_conversation: true }),
    };
    const response = await api('messages', { body, signal, idempotencyKey: crypto.randomUUID() });
    if (response.body) await readServerEvents(response.body, apply);
  }

  function settle(work: Promise<void>, text?: string): void {
    work.catch(() => {
      outbox = outbox.map((message) => (message.text === text ? { ...message, state: 'failed' } : message));
      update();
    });
  }

  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send(text) {
      const id = crypto.randomUUID();
      const createdAt = new Date().toISOString();
      outbox = [
        ...outbox,
        { id, from: 'visitor', text, state: 'sending', citations: [], author: null, createdAt },
      ];
      update();
      settle(deliver(text), text);
    },
    retry() {
      for (const { text } of outbox) settle(deliver(text), text);
    },
    stop() {
      const { conversationId } = saved.get();
      if (conversationId) {
        const body = { conversation_id: conversationId };
        settle(api('stop', { body, signal }).then(() => undefined));
      }
    },
    startNewConversation() {
      saved.set({ conversationId: undefined });
      conversation = emptyConversation;
      phase = 'empty';
      update();
    },
    identify() {},
    setOpen(isOpen) {
      if (isOpen) settle(load());
    },
    close: () => closing.abort(),
  };
}
