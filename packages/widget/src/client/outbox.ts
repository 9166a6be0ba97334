import type { EndUserEvent } from '@svc/client/conversation';
import { readServerEvents } from '@svc/client/server-events';
import type { OutboxEntry } from './outbox-entry.ts';
import type { MessageExtras } from './saved-state.ts';
import { sendDetails } from './send-details.ts';
import { backoff } from './sleep.ts';
import type { VisitorChatParts } from './visitor-chat-parts.ts';
import { isRefused } from './widget-api.ts';

type TurnStarted = Extract<EndUserEvent, { type: 'turn.started' }>;

/** Messages of an earlier page are sent without being asked only if they are not older than this. */
const recentMilliseconds = 120_000;
const maxFailures = 30;
/** A limit that ends so soon is waited for. */
const shortSeconds = 10;

/** Sends the visitor's messages one after another, each until the service has it or refuses it. */
export function createOutbox(chat: VisitorChatParts) {
  const { call, saved, sleep, page, signal } = chat;
  let entries = unsentHere(true);
  let current: OutboxEntry | undefined;

  /** What is kept for the conversation that is shown. */
  function unsentHere(isFirst?: boolean): OutboxEntry[] {
    const here = chat.openConversation ?? 'new';
    return Object.values(saved.get().unsent ?? {})
      .filter(({ place }) => place === here || (isFirst && !place))
      .map((message) => ({
        ...message,
        state: Date.now() - Date.parse(message.createdAt) < recentMilliseconds ? 'sending' : 'failed',
      }));
  }

  function change(entry: OutboxEntry, changes: Partial<OutboxEntry>): void {
    const { [entry.id]: _, ...others } = saved.get().unsent ?? {};
    const { state, messageId: _stored, eventId: _announced, ...unsent } = Object.assign(entry, changes);
    saved.set({ unsent: state === 'done' ? others : { ...others, [entry.id]: unsent } });
    chat.noteChange();
  }

  async function sendAll(): Promise<void> {
    if (current) return;
    let failures = 0;
    while (!signal.aborted) {
      // What was left behind before it was sent waits until its conversation is shown again.
      if (current && !current.body && !entries.includes(current)) current = undefined;
      current ??= entries.find(({ state }) => state === 'sending');
      if (!current) break;
      if (chat.state.conversation.status !== 'idle') {
        // The service takes one message at a time.
        if (current.state === 'failed') change(current, { state: 'sending' });
        break;
      }
      if (page.isOnline()) {
        if (await attempt(current, failures)) {
          current = undefined;
          failures = 0;
          continue;
        }
        failures += 1;
      }
      await sleep(backoff(failures));
    }
    current = undefined;
  }

  /** Whether nothing remains to be done for this message. */
  async function attempt(entry: OutboxEntry, failures: number): Promise<boolean> {
    try {
      await send(entry);
      return true;
    } catch (error) {
      return signal.aborted || !(await canRepeat(entry, error, failures));
    }
  }

  async function send(entry: OutboxEntry): Promise<void> {
    const { openConversation: conversationId, state, isLoaded } = chat;
    if (!entry.body) {
      const { text: message, replaces, attachments } = entry;
      const { messages } = state.conversation;
      const place = messages.findIndex(({ id }) => id === replaces);
      const target = conversationId
        ? { conversation_id: conversationId }
        : isLoaded && { new_conversation: true };
      change(entry, {
        body: {
          message,
          ...target,
          ...(conversationId && replaces && { replaces }),
          ...(attachments && { attachments: attachments.map(({ id }) => id) }),
        },
        after: messages[(place < 0 ? messages.length : place) - 1]?.id,
      });
    }
    const { body } = await call('messages', { body: entry.body, idempotencyKey: entry.id, signal });
    const started = await turnStarted(body);
    if (!started) throw new Error('The connection broke.');
    change(entry, { state: 'done', messageId: started.data.user_message.id, eventId: started.id });
    chat.setTrouble(null);
    void sendDetails(chat);
    if (entries.includes(entry)) onAccepted(entry, started);
  }

  function onAccepted({ body }: OutboxEntry, { id = 0, data }: TurnStarted): void {
    if (!chat.openConversation) chat.isLoaded = !!body?.new_conversation;
    chat.openConversation = data.conversation_id;
    saved.set({ conversationId: data.conversation_id });
    // Otherwise the stream is already past it.
    if (chat.state.lastEventId < id) chat.noteRunning();
    if (!chat.isLoaded) chat.reopenStream();
    chat.wake();
  }

  /** Whether the same message is to be sent again. */
  async function canRepeat(entry: OutboxEntry, error: unknown, failures: number): Promise<boolean> {
    // It waits in the conversation that the visitor has left for another.
    if (chat.openConversation && !entries.includes(entry)) return false;
    if (isRefused(error)) {
      const { status, code, details, retryAfter } = error;
      const conversationId = entry.body?.conversation_id;
      if (code === 'IDEMPOTENCY_IN_PROGRESS') return true;
      // It was certainly not stored.
      if (status < 500) change(entry, { body: undefined });
      if (code === 'TURN_IN_PROGRESS') {
        if (entries.includes(entry)) onBusy(details[0]?.['conversation_id']);
        return true;
      }
      const areFilesGone = details[0]?.['path'] === 'attachments';
      // Where the answer has done something, saying the same once more could do it again: it is not sent.
      if (areFilesGone || (entry.replaces && [400, 404].includes(status))) {
        // Nothing is put aside: it is said once more instead. Without its files, only if the visitor wants that.
        const state = areFilesGone ? 'failed' : 'sending';
        change(entry, { replaces: undefined, attachments: undefined, state });
        return !areFilesGone;
      }
      if (code === 'NOT_FOUND' || code === 'IDEMPOTENCY_MISMATCH') {
        if (code === 'NOT_FOUND' && conversationId === chat.openConversation) chat.leave();
        moveHere(entry);
        return true;
      }
      if (status === 429 && retryAfter && retryAfter <= shortSeconds) {
        await sleep(retryAfter * 1000);
        return true;
      }
    }
    const isOver = (await chat.explain(error, failures, true)) || failures > maxFailures;
    if (isOver && !entries.includes(entry)) moveHere(entry);
    if (isOver || failures > 1) change(entry, { state: 'failed' });
    return !isOver;
  }

  /** An answer is being written after all. */
  function onBusy(conversationId: unknown): void {
    chat.openConversation ??= String(conversationId);
    chat.isLoaded = false;
    chat.noteRunning();
    chat.reopenStream();
  }

  /** The message goes to the conversation that is shown now. */
  function moveHere(entry: OutboxEntry): void {
    entries = [...entries.filter((other) => other !== entry), entry];
    change(entry, {
      id: newId(),
      body: undefined,
      replaces: undefined,
      place: chat.openConversation,
    });
  }

  return {
    entries: () => entries,
    sendAll,
    add(text: string, extras?: MessageExtras): void {
      const createdAt = new Date().toISOString();
      const place = chat.openConversation;
      const entry: OutboxEntry = { id: newId(), text, createdAt, place, ...extras, state: 'sending' };
      entries.push(entry);
      change(entry, {});
    },
    /** Sends what failed. Returns whether there was something. */
    retry(): boolean {
      const failed = entries.filter(({ state }) => state === 'failed');
      for (const entry of failed) change(entry, { state: 'sending' });
      return failed.length > 0;
    },
    /** A new conversation takes along what was not sent yet. Otherwise that stays where it was, as does what is being sent. */
    moveOn(left = 'new'): void {
      const unsent = entries.filter(({ state }) => state !== 'done');
      entries = unsentHere().filter(({ id }) => !unsent.some((entry) => entry.id === id));
      for (const entry of unsent) {
        if (chat.openConversation || (entry === current && entry.body))
          change(entry, { place: entry.place ?? left });
        else moveHere(entry);
      }
    },
  };
}

async function turnStarted(body: Response['body']): Promise<TurnStarted | undefined> {
  for await (const batch of readServerEvents<EndUserEvent>(body)) {
    const started = batch.find((event) => event.type === 'turn.started');
    if (started) return started;
  }
}

/** Not `crypto.randomUUID`, which pages without TLS do not have. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
