import type { EndUserConversation, EndUserConversationDetail } from '@svc/contract/end-users';
import type { Page } from './page.ts';
import { readServerEvents, type ServerEvent } from './server-events.ts';
import { backoff, type Sleeper } from './sleep.ts';
import { type CallWidgetApi, Refusal } from './widget-api.ts';

/** `stream`: the conversation is being looked at. `poll`: it is not, but something is expected. */
export type ConnectionMode = 'stream' | 'poll' | 'none';

export interface ConnectionOptions {
  call: CallWidgetApi;
  sleeper: Sleeper;
  page: Page;
  mode(): ConnectionMode;
  /** Undefined if it is not known whether there is one. */
  conversationId(): string | undefined;
  lastEventId(): number;
  /** The conversation has to be read before its events can be followed. */
  isLoaded(): boolean;
  onFound(conversationId: string | undefined): void;
  onLoaded(detail: EndUserConversationDetail): void;
  /** Returns true if the stream is of no more use. */
  onEvent(event: ServerEvent): boolean;
  /** The conversation no longer exists. */
  onGone(): void;
  onReached(): void;
  onFailed(error: unknown, failures: number): Promise<void>;
}

const pollMilliseconds = 30_000;
/** The service sends at least a comment every 15 seconds, so a stream that is silent this long is dead. */
const silenceMilliseconds = 45_000;

/** Keeps up with the conversation, over lost connections and restarts of the service. */
export function createConnection(options: ConnectionOptions) {
  const { call, sleeper, page } = options;
  let mode: ConnectionMode = 'none';
  let running = new AbortController();

  async function run({ signal }: AbortController): Promise<void> {
    let failures = 0;
    /** The conversation may have changed since it was read. */
    let isDue = false;
    const onReached = () => {
      failures = 0;
      options.onReached();
    };
    while (!signal.aborted) {
      let pause = 0;
      try {
        if (page.isOnline()) {
          if (isDue || !options.isLoaded()) {
            await load(signal);
            onReached();
          }
          isDue = mode === 'poll';
          if (isDue) pause = pollMilliseconds;
          else await follow(signal, onReached);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refusal) {
          if (error.code === 'NOT_FOUND') return options.onGone();
          pause = error.retryAfter * 1000;
        }
        await options.onFailed(error, failures);
        failures += 1;
      }
      if (!signal.aborted) await sleeper.sleep(pause || backoff(failures));
    }
  }

  async function load(signal: AbortSignal): Promise<void> {
    if (!options.conversationId()) {
      const response = await call('conversations', { signal });
      const [newest] = (await response.json()) as EndUserConversation[];
      if (!signal.aborted) options.onFound(newest?.id);
    }
    const id = options.conversationId();
    if (!id) return;
    const response = await call(`conversations/${id}`, { signal });
    const detail = (await response.json()) as EndUserConversationDetail;
    if (!signal.aborted) options.onLoaded(detail);
  }

  async function follow(signal: AbortSignal, onReached: () => void): Promise<void> {
    const id = options.conversationId();
    if (!id) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onBytes = () => {
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), silenceMilliseconds * sleeper.pace);
    };
    onBytes();
    try {
      const { body } = await call(`stream?conversation_id=${id}&after=${options.lastEventId()}`, {
        signal: AbortSignal.any([signal, ending.signal]),
      });
      onReached();
      if (body) await readServerEvents(body, (event) => signal.aborted || options.onEvent(event), onBytes);
    } finally {
      clearTimeout(timer);
    }
  }

  function start(needed: ConnectionMode): void {
    mode = needed;
    running.abort();
    sleeper.wake();
    running = new AbortController();
    if (mode !== 'none') void run(running);
  }

  return {
    /** Begins, changes or ends the connection if something else is needed now. */
    update(): void {
      const needed = options.mode();
      if (needed !== mode) start(needed);
    },
    restart: () => start(options.mode()),
    close: () => start('none'),
  };
}
