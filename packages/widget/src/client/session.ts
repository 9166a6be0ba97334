import type { Identity } from '../protocol.ts';
import type { Activity, ChatState, Trouble } from './chat-state.ts';
import { type ConnectionMode, createConnection } from './connection.ts';
import { applyEvent, type Conversation, emptyConversation, fromDetail } from './conversation.ts';
import { createOutbox } from './outbox.ts';
import { mergeMessages } from './outbox-entry.ts';
import type { Page } from './page.ts';
import { createSavedState } from './saved-state.ts';
import { createSleeper } from './sleep.ts';
import { toTrouble, troubleOfTurn } from './trouble.ts';
import { createWidgetApi } from './widget-api.ts';

export interface SessionOptions {
  service: string;
  key: string;
  storage: Storage | undefined;
  page: Page;
  fetch: typeof fetch;
  /** Multiplies all waiting times. */
  pace: number;
  identity: Identity | null;
  onChange(): void;
  /** The site's owner has to change something; `reason` is the service's own text, if there is one. */
  onBlocked(reason: string): void;
}

export type Session = ReturnType<typeof createSession>;

/** After this time without text it takes longer than usual. */
const slowMilliseconds = 1500;

/** Everything of one visitor. Another one begins when the page names a user, so that nobody sees another's messages. */
export function createSession(options: SessionOptions) {
  const { service, key, storage, page, fetch, pace, identity } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const sleeper = createSleeper(pace);
  const saved = createSavedState(storage, `svc:${key}${identity ? `:${identity.user_id}` : ''}`);
  const call = createWidgetApi({ service, key, fetch, saved, identity, signal });

  let conversation: Conversation = emptyConversation;
  let { conversationId, repeated = [] } = saved.get();
  /** Whether the conversation has been read. A user that the page names may have one that this browser does not know. */
  let isLoaded = !conversationId && !identity;
  let isNewWanted = false;
  let isStopping = false;
  let isOpen = false;
  let wasOnline = page.isOnline();
  let trouble: Trouble | null = null;
  let wasReachable = false;
  let isSlow = false;
  let slowTimer: ReturnType<typeof setTimeout> | undefined;

  const outbox = createOutbox({
    call,
    saved,
    sleeper,
    page,
    signal,
    isIdle: () => conversation.status === 'idle',
    target() {
      if (conversationId) return { conversation_id: conversationId };
      return isNewWanted || !identity ? { new_conversation: true } : {};
    },
    lastMessageId: () => conversation.messages.at(-1)?.id,
    onChange: changed,
    onAccepted(entry, { id = 0, data }) {
      const mustRestart = trouble !== null;
      trouble = null;
      if (!entry.isElsewhere) {
        if (!conversationId) isLoaded = entry.body?.new_conversation === true;
        conversationId = data.conversation_id;
        saved.set({ conversationId });
        // Otherwise the stream is already past it.
        if (conversation.lastEventId < id) change({ status: 'running', failure: null });
        if (mustRestart || !isLoaded) connection.restart();
      }
      changed();
    },
    onBusy(id) {
      conversationId ??= String(id);
      isLoaded = false;
      change({ status: 'running' });
      connection.restart();
    },
    onGone(id) {
      if (id === conversationId) leave(undefined);
    },
    onRefused: setTrouble,
    onUnreachable: explainFailure,
  });

  const connection = createConnection({
    call,
    sleeper,
    page,
    mode,
    conversationId: () => conversationId,
    lastEventId: () => conversation.lastEventId,
    isLoaded: () => isLoaded,
    onFound(id) {
      conversationId = id;
      isLoaded = !id;
      changed();
    },
    onLoaded(detail) {
      const next = fromDetail(detail);
      // A message was accepted while this was being read.
      const isOutdated = outbox.entries().some(({ eventId = 0 }) => eventId > next.lastEventId);
      const isUnanswered =
        next.messages.at(-1)?.from === 'visitor' && next.status === 'idle' && !next.isHandedOff;
      const wasExpected = saved.get().expects === 'bot' && !isStopping;
      isLoaded = true;
      change({
        ...next,
        ...(isOutdated && { status: 'running' }),
        failure: isUnanswered ? (conversation.failure ?? (wasExpected ? 'INTERNAL' : null)) : null,
      });
    },
    onEvent(event) {
      const next = applyEvent(conversation, event);
      isLoaded = !!next;
      if (next) change(next);
      return !next;
    },
    onGone: () => leave(undefined),
    onReached() {
      wasReachable = false;
      if (trouble?.kind === 'outage' || trouble?.kind === 'blocked') {
        trouble = null;
        changed();
      }
    },
    async onFailed(error, failures) {
      const refused = toTrouble(error);
      if (refused?.kind === 'blocked') setTrouble(refused, error);
      else if (!refused && failures > 1) await explainFailure();
    },
  });

  const unsubscribe = page.onChange(() => {
    const isOnline = page.isOnline();
    const cameBack = isOnline && !wasOnline;
    wasOnline = isOnline;
    followOtherTabs();
    if (cameBack) connection.restart();
    changed();
  });
  changed();

  function change(changes: Partial<Conversation>): void {
    conversation = { ...conversation, ...changes };
    clearTimeout(slowTimer);
    isSlow = false;
    if (conversation.status === 'running') {
      slowTimer = setTimeout(() => {
        isSlow = true;
        options.onChange();
      }, slowMilliseconds * pace);
    } else isStopping = false;
    changed();
  }

  /** After every change: saves what the next page needs, and lets the connection and the outbox go on. */
  function changed(): void {
    if (signal.aborted) return;
    if (isLoaded) {
      const expects = expected();
      const seen = isOpen
        ? conversation.messages.findLast(({ state }) => state !== 'streaming')?.id
        : undefined;
      const before = saved.get();
      if (before.expects !== expects || (seen && before.seen !== seen)) {
        saved.set({ expects, seen: seen ?? before.seen });
      }
    }
    connection.update();
    void outbox.sendAll();
    options.onChange();
  }

  function expected(): 'bot' | 'person' | undefined {
    if (conversation.status !== 'idle') return 'bot';
    return conversation.isHandedOff ? 'person' : undefined;
  }

  function mode(): ConnectionMode {
    if (isOpen && page.isVisible()) return conversationId || !isLoaded ? 'stream' : 'none';
    const isExpecting = expected() ?? (isLoaded ? undefined : saved.get().expects);
    return conversationId && isExpecting ? 'poll' : 'none';
  }

  /** Shows another conversation, or none. */
  function leave(nextId: string | undefined): void {
    conversationId = nextId;
    isLoaded = !nextId;
    repeated = [];
    saved.set({ conversationId, repeated, seen: undefined, expects: undefined });
    outbox.moveOn();
    change(emptyConversation);
    connection.restart();
  }

  /** Another tab may have begun another conversation, or ended everything. Messages that are not sent yet come first. */
  function followOtherTabs(): void {
    const { conversationId: other, token } = saved.get();
    const isMoved = other ? other !== conversationId : conversationId && !token;
    if (isMoved && outbox.entries().every(({ state }) => state === 'done')) leave(other);
  }

  function setTrouble(next: Trouble, error?: unknown): void {
    trouble = next;
    if (next.kind === 'blocked') options.onBlocked(error instanceof Error ? error.message : '');
    if (next.kind === 'rate_limited') {
      setTimeout(() => {
        if (trouble === next) trouble = null;
        changed();
      }, next.retryAt - Date.now());
    }
    changed();
  }

  /** A browser does not tell an outage from a page that is not allowed; a request without an answer does. */
  async function explainFailure(): Promise<void> {
    const init: RequestInit = { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal };
    const isReachable = await fetch(`${service}/api/widget/look?key=${key}`, init).then(
      () => true,
      () => false,
    );
    // Twice, because the service may just have come back.
    setTrouble({ kind: isReachable && wasReachable ? 'blocked' : 'outage' });
    wasReachable = isReachable;
  }

  function activity(): Activity {
    const isCutOff = !page.isOnline() || trouble?.kind === 'outage' || trouble?.kind === 'blocked';
    if (isCutOff || conversation.status === 'idle') return 'none';
    if (conversation.status === 'paused') return 'checking';
    const isWriting = conversation.messages.at(-1)?.state === 'streaming';
    return isSlow && !isWriting ? 'looking' : 'typing';
  }

  function unread(): number {
    if (isOpen) return 0;
    const { seen } = saved.get();
    const { messages } = conversation;
    const isAfter = Math.max(
      messages.findIndex(({ id }) => id === seen),
      messages.findIndex(({ from }) => from === 'visitor'),
    );
    return messages.filter(
      ({ from, state }, index) => index > isAfter && from !== 'visitor' && state !== 'streaming',
    ).length;
  }

  return {
    state(): ChatState {
      const { messages, isHandedOff, failure } = conversation;
      return {
        phase: messages.length > 0 ? 'ready' : conversationId && !isLoaded ? 'loading' : 'empty',
        isOnline: page.isOnline(),
        messages: mergeMessages(conversation, outbox.entries(), repeated),
        activity: activity(),
        handedOff: isHandedOff,
        trouble: trouble ?? troubleOfTurn(failure),
        unread: unread(),
      };
    },
    send(text: string): void {
      if (!text.trim()) return;
      change({ failure: null });
      outbox.add(text.trim());
    },
    retry(): void {
      trouble = null;
      const last = conversation.messages.findLast(({ from }) => from === 'visitor');
      if (!outbox.retry() && conversation.failure && last) {
        // The service does not answer a message twice, so it is sent as a new one in the place of the first.
        repeated = [...repeated, last.id];
        saved.set({ repeated });
        change({ failure: null });
        outbox.add(last.text);
      }
      sleeper.wake();
      changed();
    },
    stop(): void {
      if (!conversationId) return;
      isStopping = true;
      const body = { conversation_id: conversationId };
      const request = () => call('stop', { body, signal });
      // If it does not get through, the answer goes on and can be stopped again.
      request()
        .catch(request)
        .catch(() => undefined);
    },
    startNewConversation(): void {
      isNewWanted = true;
      trouble = null;
      if (conversationId) leave(undefined);
    },
    setOpen(value: boolean): void {
      isOpen = value;
      changed();
    },
    close(): void {
      closing.abort();
      clearTimeout(slowTimer);
      connection.close();
      unsubscribe();
    },
    /** Removes what is stored for this visitor. Returns the messages that were not sent. */
    forget(): string[] {
      saved.clear();
      return outbox
        .entries()
        .filter(({ state, body }) => state !== 'done' && !body)
        .map(({ text }) => text);
    },
  };
}
