import { createGrowingLru } from '../lib/growing-lru.ts';
import type { Log } from '../lib/log.ts';
import type { TopicKind } from './bus.ts';
import type { Transport } from './bus-transport.ts';

/** How long previews wait for others on the same channel. */
const previewMilliseconds = 15;
/** How many channels that no other process listens to are remembered. */
const maxUnheard = 10_000;

type Preview<Message> = Pick<NonNullable<TopicKind<Message>['preview']>, 'join' | 'isNeeded'>;

/** What this process sends to others, under the name `sender`. Drops messages while it is not started. */
export function createOutbox(transport: Transport, sender: string, log: Log) {
  const waiting = new Map<string, unknown>();
  /** Channels that no other process listened to when last counted, and none has joined since. */
  const unheard = createGrowingLru<true>(maxUnheard);
  /** The last message on each channel whose receivers are still being counted. */
  const counting = new Map<string, number>();
  let counted = 0;
  let isStarted = false;
  let hasLost = false;
  /** Previews that wait include some whose loss is reported. */
  let hasNeeded = false;
  let timer: NodeJS.Timeout | undefined;

  /** Sends all previews that wait. */
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    hasNeeded = false;
    for (const channel of waiting.keys()) flushChannel(channel);
  }

  function flushChannel(channel: string): void {
    const preview = waiting.get(channel);
    if (preview === undefined) return;
    waiting.delete(channel);
    post(channel, preview);
  }

  function post(channel: string, message: unknown): void {
    sendAndCount(channel, message).catch((error: unknown) =>
      log.error({ err: error, channel }, 'A message could not be sent on the bus.'),
    );
  }

  async function sendAndCount(channel: string, message: unknown): Promise<void> {
    if (!isStarted) {
      hasLost = true;
      return;
    }
    const count = (counted += 1);
    counting.set(channel, count);
    const others = await transport.send(channel, `${sender} ${JSON.stringify(message)}`);
    if (others === undefined) hasLost = true;
    // A process that joined in the meantime may not be among those counted.
    if (counting.get(channel) !== count) return;
    counting.delete(channel);
    if (others === 0) unheard.set(channel, true);
    else unheard.delete(channel);
  }

  return {
    flush,
    /** Sends immediately, after the previews that wait on the channel. */
    send(channel: string, message: unknown): void {
      flushChannel(channel);
      post(channel, message);
    },
    /** Sends soon, joined with the previews that wait on the channel. Drops it if no other process listens. */
    sendPreview<Message>(channel: string, message: Message, { join, isNeeded = false }: Preview<Message>) {
      if (!isStarted) hasLost ||= isNeeded;
      if (!isStarted || unheard.get(channel)) return;
      hasNeeded ||= isNeeded;
      const earlier = waiting.get(channel) as Message | undefined;
      waiting.set(channel, earlier === undefined ? message : join(earlier, message));
      timer ??= setTimeout(flush, previewMilliseconds);
    },
    /** Another process has begun to listen to the channel. */
    addListener(channel: string): void {
      unheard.delete(channel);
      counting.delete(channel);
    },
    /** Returns whether messages were lost before. */
    start(): boolean {
      const lost = hasLost;
      isStarted = true;
      hasLost = false;
      unheard.clear();
      return lost;
    },
    stop(): void {
      isStarted = false;
      hasLost ||= hasNeeded;
      clearTimeout(timer);
      timer = undefined;
      waiting.clear();
      counting.clear();
    },
  };
}
