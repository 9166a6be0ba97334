import type { EndUserEvent } from '@svc/client/conversation';
import { readServerEvents } from '@svc/client/server-events';
import type { OutboxEntry } from './outbox-entry.ts';
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
  let entries: OutboxEntry[] = Object.values(saved.get().unsent ?? {}).map((message) => ({
    ...message,
    state: Date.now() - Date.parse(message.createdAt) < recentMilliseconds ? 'sending' : 'failed',
  }));
  let current: OutboxEntry | undefined;

  function change(entry: OutboxEntry, changes: Partial<OutboxEntry>): void {
    const { [entry.id]: _, ...others } = saved.get().unsent ?? {};
    const { id, text, createdAt, after, body, state } = Object.assign(entry, changes);
    saved.set({
      unsent: state === 'done' ? others : { ...others, [id]: { id, text, createdAt, after, body } },
    });
    chat.noteChange();
  }

  async function sendAll(): Promise<void> {
    if (current) return;
    let failures = 0;
    while (!signal.aborted) {
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
      const target = conversationId
        ? { conversation_id: conversationId }
        : isLoaded && { new_conversation: true };
      change(entry, {
        body: { message: entry.text, ...target },
        after: state.conversation.messages.at(-1)?.id,
      });
    }
    const { body } = await call('messages', { body: entry.body, idempotencyKey: entry.id, signal });
    const started = await turnStarted(body);
    if (!started) throw new Error('The connection broke.');
    change(entry, { state: 'done', messageId: started.data.user_message.id, eventId: started.id });
    chat.setTrouble(null);
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
    change(entry, { id: newId(), body: undefined });
  }

  return {
    entries: () => entries,
    sendAll,
    add(text: string): void {
      const createdAt = new Date().toISOString();
      const entry: OutboxEntry = { id: newId(), text, createdAt, state: 'sending' };
      entries.push(entry);
      change(entry, {});
    },
    /** Sends what failed. Returns whether there was something. */
    retry(): boolean {
      const failed = entries.filter(({ state }) => state === 'failed');
      for (const entry of failed) change(entry, { state: 'sending' });
      return failed.length > 0;
    },
    /** Another conversation is shown: what was not sent yet goes there, and what is being sent stays where it was. */
    moveOn(): void {
      const unsent = entries.filter((entry) => entry.state !== 'done' && !(entry === current && entry.body));
      entries = [];
      unsent.forEach(moveHere);
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
