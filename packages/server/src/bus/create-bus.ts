import type { Log } from '../lib/log.ts';
import { newId } from '../lib/new-id.ts';
import type { Bus, Subscriber, TopicKind } from './bus.ts';
import type { Transport } from './bus-transport.ts';
import { createOutbox } from './outbox.ts';

/** The channel of the bus itself. The channels of topics contain a colon. */
const noticeChannel = 'bus';
const maxAnnounced = 500;
const alwaysReady = Promise.resolve();

/** What a process reports about itself. */
interface Notice {
  /** Channels that the sender listens to now. */
  listening?: string[];
  /** Messages of the sender were lost. */
  lost?: true;
}

interface Topic {
  channel: string;
  subscribers: Set<Subscriber<unknown>>;
  ready: Promise<void>;
}

/** Without a transport, the bus stays within this process. */
export function createBus({ transport, log }: { transport?: Transport | undefined; log: Log }): Bus {
  const self = newId();
  /** By channel, if there is a transport. */
  const topics = new Map<string, Topic>();
  /** The same by kind and key: a channel is a new string each time, whose look-up takes ten times as long. */
  const topicsOf = new Map<string, Map<string, Topic>>();
  const greetings = new Map<string, (key: string) => unknown>();
  const reachCallbacks = new Set<(reach: string | undefined) => void>();
  const outbox = transport && createOutbox(transport, self, log);
  const unannounced: string[] = [];
  let reach: string | undefined;

  transport?.start({
    onText: receive,
    onConnected(value) {
      const hasLost = outbox?.start();
      changeReach(value);
      announce([...topics.keys()]);
      if (hasLost) notify({ lost: true });
      reportLossHere();
    },
    onDisconnected() {
      outbox?.stop();
      changeReach(undefined);
    },
  });
  void transport?.join(noticeChannel);

  function changeReach(value: string | undefined): void {
    if (value === reach) return;
    reach = value;
    callAll(reachCallbacks, (callback) => callback(value));
  }

  function receive(channel: string, text: string): void {
    if (text.startsWith(self)) return;
    let content: unknown;
    try {
      content = JSON.parse(text.slice(text.indexOf(' ') + 1));
    } catch {
      // The error is not logged because it quotes the text, which may be part of a conversation.
      log.warn({ channel }, 'A message on the bus could not be read.');
      return;
    }
    const topic = topics.get(channel);
    if (channel === noticeChannel) callAll([content as Notice], heed);
    else if (topic) deliver(topic, content, 'elsewhere');
  }

  function heed({ listening = [], lost }: Notice): void {
    for (const channel of listening) welcome(channel);
    if (lost) reportLossHere();
  }

  /** Another process listens to the channel now: it gets the greeting, and previews from here on. */
  function welcome(channel: string): void {
    outbox?.addListener(channel);
    const [kind = '', ...key] = channel.split(':');
    const greeting = greetings.get(kind)?.(key.join(':'));
    if (greeting !== undefined) outbox?.send(channel, greeting);
  }

  function deliver(topic: Topic, message: unknown, from: 'here' | 'elsewhere'): void {
    callAll(topic.subscribers, (subscriber) => subscriber.onMessage(message, from));
  }

  function reportLossHere(): void {
    for (const ofKind of topicsOf.values()) {
      for (const { subscribers } of ofKind.values()) {
        callAll(subscribers, (subscriber) => subscriber.onLost());
      }
    }
  }

  /** One that fails does not keep the others from being called. */
  function callAll<Called>(called: Iterable<Called>, call: (one: Called) => void): void {
    for (const one of called) {
      try {
        call(one);
      } catch (error) {
        log.error({ err: error }, 'A message on the bus could not be handled.');
      }
    }
  }

  /** While there is no connection this does nothing: connecting announces all topics. */
  function announce(channels: readonly string[]): void {
    if (reach === undefined) return;
    for (let index = 0; index < channels.length; index += maxAnnounced) {
      notify({ listening: channels.slice(index, index + maxAnnounced) });
    }
  }

  /** Joins that are confirmed in one read are announced together: all processes receive every announcement. */
  function announceSoon(channel: string): void {
    if (unannounced.length === 0) process.nextTick(() => announce(unannounced.splice(0)));
    unannounced.push(channel);
  }

  function notify(notice: Notice): void {
    outbox?.send(noticeChannel, notice);
  }

  function open<Message>(kind: TopicKind<Message>, key: string): Topic {
    const ofKind = topicsOf.get(kind.name) ?? new Map<string, Topic>();
    topicsOf.set(kind.name, ofKind);
    const known = ofKind.get(key);
    if (known) return known;
    const channel = channelOf(kind, key);
    const ready = transport ? transport.join(channel).then(() => announceSoon(channel)) : alwaysReady;
    const topic: Topic = { channel, subscribers: new Set(), ready };
    if (transport) topics.set(channel, topic);
    ofKind.set(key, topic);
    return topic;
  }

  return {
    get reach() {
      return reach;
    },
    publish(kind, key, message) {
      const topic = topicsOf.get(kind.name)?.get(key);
      if (topic) deliver(topic, message, 'here');
      if (!outbox) return;
      const channel = topic?.channel ?? channelOf(kind, key);
      if (kind.preview?.includes(message)) outbox.sendPreview(channel, message, kind.preview);
      else outbox.send(channel, message);
    },
    subscribe(kind, key, subscriber) {
      const { channel, subscribers, ready } = open(kind, key);
      subscribers.add(subscriber);
      return {
        ready,
        renew: () => announce([channel]),
        end() {
          if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
          topics.delete(channel);
          topicsOf.get(kind.name)?.delete(key);
          transport?.leave(channel);
        },
      };
    },
    reportLoss() {
      notify({ lost: true });
      reportLossHere();
    },
    greet(kind, greeting) {
      greetings.set(kind.name, greeting);
    },
    onReach(callback) {
      reachCallbacks.add(callback);
      return () => void reachCallbacks.delete(callback);
    },
    async close() {
      outbox?.flush();
      await transport?.close();
      outbox?.stop();
      reach = undefined;
    },
  };
}

function channelOf<Message>(kind: TopicKind<Message>, key: string): string {
  return `${kind.name}:${key}`;
}
