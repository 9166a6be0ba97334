import type { VisitorMessage } from '@svc/contract/end-users';
import type { Trouble } from './chat-state.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import type { Page } from './page.ts';
import type { SavedState } from './saved-state.ts';
import { readServerEvents, type ServerEvent } from './server-events.ts';
import { backoff, type Sleeper } from './sleep.ts';
import { toTrouble } from './trouble.ts';
import { type CallWidgetApi, Refusal } from './widget-api.ts';

export type TurnStarted = Extract<ServerEvent, { type: 'turn.started' }>;

export interface OutboxOptions {
  call: CallWidgetApi;
  saved: SavedState;
  sleeper: Sleeper;
  page: Page;
  signal: AbortSignal;
  /** No answer is being written: the service takes one message at a time. */
  isIdle(): boolean;
  /** Where a message goes that is sent for the first time. */
  target(): Omit<VisitorMessage, 'message'>;
  lastMessageId(): string | undefined;
  onChange(): void;
  onAccepted(entry: OutboxEntry, started: TurnStarted): void;
  /** An answer is being written after all, in this conversation. */
  onBusy(conversationId: unknown): void;
  /** This conversation no longer exists. */
  onGone(conversationId: string | undefined): void;
  onRefused(trouble: Trouble, error: unknown): void;
  onUnreachable(): Promise<void>;
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Messages of an earlier page are sent without being asked only if they are not older than this. */
const recentMilliseconds = 120_000;
const maxFailures = 30;
const unknownOutcome = { status: 500, code: '', details: [] };

/** Sends the visitor's messages one after another, each until the service has it or refuses it. */
export function createOutbox(options: OutboxOptions) {
  const { call, saved, sleeper, page, signal, onChange } = options;
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
    onChange();
  }

  async function sendAll(): Promise<void> {
    if (current) return;
    let failures = 0;
    while (!signal.aborted) {
      current ??= entries.find(({ state }) => state === 'sending');
      if (!current || !options.isIdle()) break;
      if (page.isOnline()) {
        if (await attempt(current, failures)) {
          current = undefined;
          failures = 0;
          continue;
        }
        failures += 1;
      }
      await sleeper.sleep(backoff(failures));
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
    if (!entry.body) {
      change(entry, {
        body: { message: entry.text, ...options.target() },
        after: options.lastMessageId(),
      });
    }
    const { id, body } = entry;
    const response = await call('messages', { ...(body && { body }), idempotencyKey: id, signal });
    let started: TurnStarted | undefined;
    if (response.body) {
      await readServerEvents(response.body, (event) => {
        if (event.type === 'turn.started') started = event;
        return !!started;
      });
    }
    if (!started) throw new Error('The connection broke.');
    const { data } = started;
    change(entry, {
      state: 'done',
      messageId: data.user_message.id,
      ...(started.id && { eventId: started.id }),
    });
    options.onAccepted(entry, started);
  }

  /** Whether the same message is to be sent again. */
  async function canRepeat(entry: OutboxEntry, error: unknown, failures: number): Promise<boolean> {
    const { status, code, details } = error instanceof Refusal ? error : unknownOutcome;
    if (code === 'IDEMPOTENCY_IN_PROGRESS') return true;
    const conversationId = entry.body?.conversation_id;
    // It was certainly not stored.
    if (status < 500) change(entry, { body: undefined });
    if (code === 'TURN_IN_PROGRESS') {
      if (!entry.isElsewhere) options.onBusy(details[0]?.['conversation_id']);
      return true;
    }
    if (code === 'NOT_FOUND' || code === 'IDEMPOTENCY_MISMATCH') {
      if (code === 'NOT_FOUND') options.onGone(conversationId);
      change(entry, { id: newId(), isElsewhere: false });
      return true;
    }
    const trouble = toTrouble(error);
    if (trouble) options.onRefused(trouble, error);
    else if (failures > 1) await options.onUnreachable();
    const isOver = trouble !== undefined || failures > maxFailures;
    if (isOver && entry.isElsewhere) change(entry, { id: newId(), body: undefined, isElsewhere: false });
    if (isOver || failures > 1) change(entry, { state: 'failed' });
    return !isOver;
  }

  return {
    entries: () => entries,
    sendAll,
    add(text: string): void {
      const createdAt = new Date().toISOString();
      const entry: OutboxEntry = {
        id: newId(),
        text,
        createdAt,
        after: undefined,
        body: undefined,
        state: 'sending',
      };
      entries.push(entry);
      change(entry, {});
    },
    /** Sends what failed. Returns whether there was something. */
    retry(): boolean {
      const failed = entries.filter(({ state }) => state === 'failed');
      for (const entry of failed) change(entry, { state: 'sending' });
      return failed.length > 0;
    },
    /** A new conversation begins, or another one is shown: what was not sent yet goes there. */
    moveOn(): void {
      entries = entries.filter(({ state }) => state !== 'done');
      for (const entry of entries) {
        if (entry === current) change(entry, { isElsewhere: true });
        else change(entry, { id: newId(), body: undefined });
      }
    },
  };
}

/** Not `crypto.randomUUID`, which pages without TLS do not have. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
