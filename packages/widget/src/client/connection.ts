import type { EndUserEvent } from '@svc/client/conversation';
import { readServerEvents } from '@svc/client/server-events';
import type { EndUserConversation, EndUserConversationDetail } from '@svc/contract/end-users';
import { backoff } from './sleep.ts';
import type { VisitorChatParts } from './visitor-chat-parts.ts';
import { isRefused } from './widget-api.ts';

/**
 * `stream`: the conversation is being looked at. `hold`: it is not, but a message may arrive, which is shown at once. `poll`: one is
 * expected in a hidden page.
 */
export type ConnectionMode = 'stream' | 'hold' | 'poll' | undefined;

export interface ConnectionEvents {
  /** What is needed now. */
  mode(): ConnectionMode;
  /** The service has answered. */
  onReached(): void;
  onLoaded(detail: EndUserConversationDetail): void;
  /** Returns true if the stream is of no more use. */
  onEvent(event: EndUserEvent): boolean;
}

const pollMilliseconds = 30_000;
/** So often it polls where the service has refused a stream, before it asks for one again. */
const pollsPerRefusal = 10;
/** The service sends at least a comment every 15 seconds, so a stream that is silent this long is dead. */
const silenceMilliseconds = 45_000;

/** Keeps up with the conversation, over lost connections and restarts of the service. */
export function createConnection(chat: VisitorChatParts, events: ConnectionEvents) {
  const { call, page, pace, sleep } = chat;
  let mode: ConnectionMode;
  let running = new AbortController();

  async function run({ signal }: AbortController): Promise<void> {
    let failures = 0;
    /** The conversation may have changed since it was read. */
    let isDue = false;
    let polls = 0;
    const onReached = () => {
      failures = 0;
      events.onReached();
    };
    while (!signal.aborted) {
      let pause = 0;
      try {
        if (page.isOnline()) {
          if (isDue || !chat.isLoaded) {
            await load(signal);
            onReached();
          }
          isDue = mode === 'poll' || polls-- > 0;
          if (isDue) pause = pollMilliseconds;
          else await follow(signal, onReached);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isRefused(error)) {
          if (error.code === 'NOT_FOUND') return chat.leave();
          isDue = mode === 'hold';
          if (isDue) polls = pollsPerRefusal;
          pause = error.retryAfter * 1000;
        }
        await chat.explain(error, failures, false);
        failures += 1;
      }
      if (!signal.aborted) await sleep(pause || backoff(failures));
    }
  }

  async function load(signal: AbortSignal): Promise<void> {
    if (!chat.openConversation) {
      const list = await call('conversations', { signal });
      const [newest] = (await list.json()) as EndUserConversation[];
      if (signal.aborted) return;
      if (!newest) {
        chat.isLoaded = true;
        return chat.noteChange();
      }
      chat.openConversation = newest.id;
    }
    const response = await call(`conversations/${chat.openConversation}`, { signal });
    const detail = (await response.json()) as EndUserConversationDetail;
    if (!signal.aborted) events.onLoaded(detail);
  }

  async function follow(signal: AbortSignal, onReached: () => void): Promise<void> {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onBytes = () => {
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), silenceMilliseconds * pace);
    };
    onBytes();
    try {
      const { openConversation: conversationId, state } = chat;
      const path = `stream?conversation_id=${conversationId}&after=${state.lastEventId}`;
      const { body } = await call(path, { signal: AbortSignal.any([signal, ending.signal]) });
      onReached();
      for await (const batch of readServerEvents<EndUserEvent>(body)) {
        onBytes();
        if (batch.some((event) => signal.aborted || events.onEvent(event))) return;
        // Long after the last message, the stream is no longer held.
        chat.noteChange();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    /** Begins again, or ends. */
    restart(): void {
      running.abort();
      chat.wake();
      running = new AbortController();
      mode = chat.signal.aborted ? undefined : events.mode();
      if (mode) void run(running);
    },
    /** Begins, changes or ends if something else is needed now. */
    adjust(): void {
      if (events.mode() !== mode) this.restart();
    },
  };
}
