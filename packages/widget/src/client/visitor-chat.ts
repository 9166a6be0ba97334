import { applyEvent, stateOf } from '@svc/client/conversation';
import { isServing } from '../is-serving.ts';
import type { Identity } from '../protocol.ts';
import type { Activity, ChatState, Trouble } from './chat-state.ts';
import { type ConnectionMode, createConnection } from './connection.ts';
import { createOutbox } from './outbox.ts';
import { mergeMessages } from './outbox-entry.ts';
import type { Page } from './page.ts';
import { createSavedState, type MessageExtras, type Saved } from './saved-state.ts';
import { sendDetails } from './send-details.ts';
import { createSleeper } from './sleep.ts';
import { toTrouble, troubleOfTurn } from './trouble.ts';
import type { VisitorChatParts, VisitorConversation } from './visitor-chat-parts.ts';
import { createWidgetApi, isRefused } from './widget-api.ts';

export interface VisitorChatOptions {
  service: string;
  key: string;
  storage: Storage | undefined;
  page: Page;
  fetch: typeof fetch;
  /** Multiplies all waiting times. */
  pace: number;
  identity: Identity | null;
  onChange(): void;
  /** The site's owner has to change something. */
  onBlocked(reason: string): void;
}

export type VisitorChat = ReturnType<typeof createVisitorChat>;

/** After this time without text it takes longer than usual. */
const slowMilliseconds = 1500;

/** A person may answer so long after the last message, without having been asked. */
const recentMilliseconds = 30 * 60_000;

/** Whoever writes reports it this often; after twice that they have stopped. */
const typingMilliseconds = 3000;

const emptyConversation: VisitorConversation = stateOf(
  { status: 'idle', needs_human: false, taken_over: false, messages: [] },
  0,
);

/** Everything of one visitor. Another one begins when the page names a user, so that nobody sees another's messages. */
export function createVisitorChat(options: VisitorChatOptions) {
  const { service, key, storage, page, fetch, pace, identity } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const saved = createSavedState(storage, `svc:${key}${identity ? `:${identity.user_id}` : ''}`);
  let kept = saved.get();
  const { conversationId } = kept;
  const chat: VisitorChatParts = {
    ...createSleeper(pace),
    page,
    saved,
    call: createWidgetApi({ ...options, saved, signal }),
    signal,
    openConversation: conversationId,
    state: emptyConversation,
    // A user that the page names may have a conversation that this browser does not know.
    isLoaded: !conversationId && !identity,
    change,
    noteRunning,
    noteChange,
    leave: show,
    explain,
    setTrouble,
    reopenStream: () => connection.restart(),
  };
  let isOpen = false;
  let thread = {};
  let branched = 0;
  let wasOnline = page.isOnline();
  let trouble: Trouble | null = null;
  let probes = 0;
  let isSlow = false;
  let slowTimer: ReturnType<typeof setTimeout> | undefined;
  let typist: ChatState['typist'] = null;
  let typistTimer: ReturnType<typeof setTimeout> | undefined;
  let typingNotedAt = 0;
  let limitTimer: ReturnType<typeof setTimeout> | undefined;

  const outbox = createOutbox(chat);
  const connection = createConnection(chat, {
    mode,
    onReached() {
      probes = 0;
      if (isCutOff()) setTrouble(null);
    },
    onLoaded(detail) {
      const { status, messages, needs_human, last_event_id } = detail;
      // A message was accepted while this was being read.
      const isOutdated = outbox.entries().some(({ eventId = 0 }) => eventId > last_event_id);
      const isUnanswered = messages.at(-1)?.role === 'user' && status === 'idle' && !needs_human;
      const wasExpected = saved.get().expects === 'bot';
      const failure = chat.state.failure ?? (wasExpected ? 'INTERNAL' : null);
      chat.isLoaded = true;
      branched = detail.has_branches ? last_event_id : 0;
      change({
        ...stateOf(isOutdated ? { ...detail, status: 'running' } : detail, last_event_id),
        ...(isUnanswered && { failure }),
      });
    },
    onEvent(event) {
      if (event.type === 'message.typing') setTypist({ name: event.data.author_name });
      if (event.type === 'message.operator') setTypist(null);
      if (event.type === 'conversation.branched') branched = event.id ?? 0;
      const next = applyEvent(chat.state, event);
      chat.isLoaded = !next.isIncomplete;
      if (chat.isLoaded) change(next);
      return next.isIncomplete;
    },
  });

  const unsubscribe = page.onChange(() => {
    const isOnline = page.isOnline();
    const hasReturned = isOnline && !wasOnline;
    wasOnline = isOnline;
    followOtherTabs();
    if (hasReturned) connection.restart();
    noteChange();
  });
  // What the last page could not tell. A visitor without a token has not written.
  if (saved.get().given && saved.get().token) void sendDetails(chat);
  noteChange();

  function change(changes: Partial<VisitorConversation>): void {
    chat.state = { ...chat.state, ...changes };
    clearTimeout(slowTimer);
    isSlow = false;
    if (chat.state.conversation.status === 'running') {
      slowTimer = setTimeout(() => {
        isSlow = true;
        options.onChange();
      }, slowMilliseconds * pace);
    }
    noteChange();
  }

  function setTypist(next: ChatState['typist']): void {
    typist = next;
    clearTimeout(typistTimer);
    if (next) typistTimer = setTimeout(() => setTypist(null), 2 * typingMilliseconds * pace);
    options.onChange();
  }

  function noteRunning(): void {
    change({ conversation: { ...chat.state.conversation, status: 'running' }, failure: null });
  }

  /** Saves what the next page needs, and lets the connection and the outbox continue. */
  function noteChange(): void {
    if (signal.aborted) return;
    if (chat.isLoaded) {
      const last = chat.state.conversation.messages.at(-1);
      const before = kept;
      const awaited = expected();
      const isReturned = before.expects === 'person' && awaited !== 'person';
      kept = {
        seen: isOpen && last ? last.id : before.seen,
        expects: awaited ?? (unread() > 0 ? 'visitor' : undefined),
        lastAt: last?.created_at,
        returned: isReturned ? last?.id : before.returned,
      };
      // Only what has changed here: tabs that do not know the same messages would overwrite each other's without end.
      for (const name of Object.keys(kept) as (keyof Saved)[]) {
        if (kept[name] !== before[name]) saved.set({ [name]: kept[name] });
      }
    }
    connection.adjust();
    void outbox.sendAll();
    options.onChange();
  }

  function expected(): 'bot' | 'person' | undefined {
    const { status, needs_human } = chat.state.conversation;
    if (needs_human) return 'person';
    return status === 'idle' ? undefined : 'bot';
  }

  function mode(): ConnectionMode {
    const { openConversation: id, isLoaded } = chat;
    const isVisible = page.isVisible();
    if (isOpen && isVisible) return id || !isLoaded ? 'stream' : undefined;
    const { expects, lastAt = '' } = saved.get();
    const isAwaited = expected() || (!isLoaded && expects);
    const isRecent = Date.now() - Date.parse(lastAt) < recentMilliseconds;
    if (!id || !(isAwaited || (isVisible && isRecent))) return undefined;
    return isVisible ? 'hold' : 'poll';
  }

  /** Other tabs follow. */
  function show(id?: string): void {
    trouble = null;
    saved.set({ conversationId: id, seen: undefined, expects: undefined });
    leave(id);
  }

  function leave(nextId?: string): void {
    const left = chat.openConversation;
    thread = {};
    setTypist(null);
    chat.openConversation = nextId;
    chat.isLoaded = !nextId;
    kept = {};
    branched = 0;
    outbox.moveOn(left);
    change(emptyConversation);
    connection.restart();
  }

  /** Another tab may have begun another conversation, or ended everything. Messages that are not sent yet come first. */
  function followOtherTabs(): void {
    const { conversationId: other, token } = saved.get();
    const isMoved = other ? other !== chat.openConversation : chat.openConversation && !token;
    if (isMoved && outbox.entries().every(({ state }) => state === 'done')) leave(other);
  }

  function setTrouble(next: Trouble | null): void {
    trouble = next;
    clearTimeout(limitTimer);
    if (next?.kind === 'rate_limited') {
      limitTimer = setTimeout(() => setTrouble(null), (next.retryAt - Date.now()) * pace);
    }
    noteChange();
  }

  async function explain(error: unknown, failures: number, isSending: boolean): Promise<boolean> {
    let next = toTrouble(error);
    const isFinal = !!next;
    if (!next && failures > 1) {
      // A page that is not allowed cannot read any answer. Several times, because the service may just have come back.
      probes = !isRefused(error) && (await isServing(service, fetch)) ? probes + 1 : 0;
      next = { kind: probes > 2 ? 'blocked' : 'outage' };
    }
    if (next?.kind === 'blocked') options.onBlocked(String(error));
    if (next && (isSending || isCutOff(next))) setTrouble(next);
    return isFinal;
  }

  /** Whether nothing works on this page until it is over. */
  function isCutOff(given = trouble): boolean {
    return 'outage blocked expired'.includes(given?.kind ?? '-');
  }

  function activity(): Activity {
    const { conversation, preview } = chat.state;
    const { status } = conversation;
    if (!page.isOnline() || isCutOff() || status === 'idle') return 'none';
    if (status === 'paused') return 'checking';
    return isSlow && !preview ? 'looking' : 'typing';
  }

  function unread(): number {
    if (isOpen) return 0;
    const saw = saved.get().seen;
    const { messages } = chat.state.conversation;
    // Whoever writes has read what is above.
    const last = messages.findLastIndex(({ id, role }) => id === saw || role === 'user');
    return messages.length - 1 - last;
  }

  return {
    call: chat.call,
    state(): ChatState {
      const { conversation, preview, failure } = chat.state;
      const hasMessages = preview || conversation.messages[0];
      const { asked, renewal, returned = null } = saved.get();
      const messages = mergeMessages(chat.state, outbox.entries());
      return {
        phase: hasMessages ? 'ready' : chat.openConversation && !chat.isLoaded ? 'loading' : 'empty',
        isOnline: page.isOnline(),
        messages,
        activity: activity(),
        typist,
        isHandedOff: conversation.needs_human,
        isTakenOver: conversation.taken_over,
        returnedAfter: returned,
        trouble: trouble ?? troubleOfTurn(failure),
        unread: unread(),
        conversationId: chat.openConversation,
        isKnown: !!(identity ?? renewal),
        canAsk: chat.isLoaded && !messages[0] && !asked,
        branched,
        thread,
      };
    },
    send(text: string, extras?: MessageExtras): void {
      if (!text.trim()) return;
      change({ failure: null });
      outbox.add(text.trim(), extras);
    },
    /** The page's server has signed the visitor's id again. */
    renewIdentity(user: Identity | null): void {
      if (identity) Object.assign(identity, user);
      if (trouble?.kind === 'expired') this.retry();
    },
    retry(): void {
      trouble = null;
      const { conversation, failure } = chat.state;
      const last = conversation.messages.findLast(({ role }) => role === 'user');
      if (!outbox.retry() && failure && last) {
        this.send(last.content, { replaces: last.id });
      }
      chat.wake();
      noteChange();
    },
    stop(): void {
      const body = { conversation_id: chat.openConversation };
      const request = () => chat.call('stop', { body, signal });
      // If it does not get through, the answer continues and can be stopped again.
      request()
        .catch(request)
        .catch(() => undefined);
    },
    noteTyping(): void {
      const now = Date.now();
      const { openConversation: id, state } = chat;
      if (!id || !state.conversation.needs_human || now - typingNotedAt < typingMilliseconds * pace) return;
      typingNotedAt = now;
      // Nobody misses it.
      chat.call('typing', { body: { conversation_id: id }, signal }).catch(() => undefined);
    },
    show,
    giveDetails(given: Saved['given']): void {
      saved.set({ asked: true, ...(given && { given }) });
      noteChange();
    },
    setOpen(value: boolean): void {
      isOpen = value;
      noteChange();
    },
    close(): void {
      closing.abort();
      clearTimeout(slowTimer);
      clearTimeout(typistTimer);
      connection.restart();
      unsubscribe();
    },
    /** Removes what is stored for this visitor. Returns what may not have been sent. */
    forget(): Pick<Saved, 'asked' | 'given'> & { unsent: string[] } {
      const { asked = false, given } = saved.get();
      saved.clear();
      const unsent = outbox.entries().filter(({ state }) => state !== 'done');
      return { asked, given, unsent: unsent.map(({ text }) => text) };
    },
  };
}
