import { LRUCache } from 'lru-cache';
import type { Log } from '../log.ts';
import { newId } from '../new-id.ts';
import type { Bus, Subscriber, TopicKind } from './bus.ts';
import type { Transport } from './transport.ts';

/** How long previews wait for others of the same topic. */
const previewMilliseconds = 15;
/** For this many channels it is remembered whether other processes listen. */
const maxRemembered = 10_000;
/** Where a process announces the channels that it listens to. */
const announcing = 'listening';
const announcedTogether = 500;

interface Topic {
  subscribers: Set<Subscriber<unknown>>;
  ready: Promise<void>;
}

export interface BusOptions {
  /** Without one, the bus stays within this process. */
  transport?: Transport;
  log: Log;
}

export function createBus({ transport, log }: BusOptions): Bus {
  const self = newId();
  const topics = new Map<string, Topic>();
  const greetings = new Map<string, (key: string) => unknown>();
  const reachCallbacks = new Set<(reach: string | undefined) => void>();
  /** Previews that wait to be sent, by channel. */
  const waiting = new Map<string, unknown>();
  /** Whether other processes listen to a channel. Unknown ones count as listened to. */
  const listened = new LRUCache<string, boolean>({ max: maxRemembered });
  /** Counted, so that a number of receivers from before an announcement is not believed after it. */
  let announcements = 0;
  let reach: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  transport?.start({
    onText(channel, text) {
      try {
        receive(channel, text);
      } catch (error) {
        log.error({ err: error, channel }, 'A message of another process could not be handled.');
      }
    },
    onConnected(value) {
      listened.clear();
      changeReach(value);
      announce([...topics.keys()]);
      for (const { subscribers } of topics.values()) {
        for (const subscriber of subscribers) subscriber.onLost();
      }
    },
    onDisconnected: () => changeReach(undefined),
  });
  void transport?.join(announcing);

  function changeReach(value: string | undefined): void {
    if (value === reach) return;
    reach = value;
    for (const callback of reachCallbacks) callback(value);
  }

  function receive(channel: string, text: string): void {
    const split = text.indexOf(' ');
    if (text.slice(0, split) === self) return;
    const content = text.slice(split + 1);
    if (channel === announcing) {
      announcements += 1;
      for (const announced of content.split('\n')) greet(announced);
      return;
    }
    const message: unknown = JSON.parse(content);
    for (const subscriber of topics.get(channel)?.subscribers ?? []) {
      subscriber.onMessage(message, 'elsewhere');
    }
  }

  /** Another process listens to the channel now: it gets the greeting, and previews from here on. */
  function greet(channel: string): void {
    listened.set(channel, true);
    const split = channel.indexOf(' ');
    const greeting = greetings.get(channel.slice(0, split))?.(channel.slice(split + 1));
    if (greeting === undefined) return;
    sendWaiting(channel);
    send(channel, greeting);
  }

  function announce(channels: readonly string[]): void {
    for (let index = 0; index < channels.length; index += announcedTogether) {
      const some = channels.slice(index, index + announcedTogether);
      void transport?.send(announcing, `${self} ${some.join('\n')}`);
    }
  }

  function send(channel: string, message: unknown): void {
    if (!transport || reach === undefined) return;
    const before = announcements;
    void transport.send(channel, `${self} ${JSON.stringify(message)}`).then((receivers) => {
      if (receivers !== undefined && before === announcements) listened.set(channel, receivers > 0);
    });
  }

  function sendWaiting(channel: string): void {
    const message = waiting.get(channel);
    if (message === undefined) return;
    waiting.delete(channel);
    send(channel, message);
  }

  function sendAllWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const channel of [...waiting.keys()]) sendWaiting(channel);
  }

  function sendSoon<Message>(
    channel: string,
    message: Message,
    join: (a: Message, b: Message) => Message,
  ): void {
    if (reach === undefined || listened.get(channel) === false) return;
    const earlier = waiting.get(channel) as Message | undefined;
    waiting.set(channel, earlier === undefined ? message : join(earlier, message));
    timer ??= setTimeout(sendAllWaiting, previewMilliseconds);
  }

  function open(channel: string): Topic {
    const known = topics.get(channel);
    if (known) return known;
    const joined = transport?.join(channel).then(() => announce([channel]));
    const topic: Topic = { subscribers: new Set(), ready: joined ?? Promise.resolve() };
    topics.set(channel, topic);
    return topic;
  }

  return {
    get reach() {
      return reach;
    },
    publish(kind, key, message) {
      const channel = channelOf(kind, key);
      for (const subscriber of topics.get(channel)?.subscribers ?? []) subscriber.onMessage(message, 'here');
      if (!transport) return;
      const { preview } = kind;
      if (preview?.includes(message)) return sendSoon(channel, message, preview.join);
      sendWaiting(channel);
      send(channel, message);
    },
    subscribe(kind, key, subscriber) {
      const channel = channelOf(kind, key);
      const topic = open(channel);
      const { subscribers } = topic;
      subscribers.add(subscriber as Subscriber<unknown>);
      return {
        ready: topic.ready,
        renew: () => announce([channel]),
        end() {
          if (!subscribers.delete(subscriber as Subscriber<unknown>) || subscribers.size > 0) return;
          topics.delete(channel);
          transport?.leave(channel);
        },
      };
    },
    greet(kind, greeting) {
      greetings.set(kind.name, greeting);
    },
    onReach(callback) {
      reachCallbacks.add(callback);
      return () => void reachCallbacks.delete(callback);
    },
    async close() {
      sendAllWaiting();
      await transport?.close();
    },
  };
}

function channelOf<Message>(kind: TopicKind<Message>, key: string): string {
  return `${kind.name} ${key}`;
}
