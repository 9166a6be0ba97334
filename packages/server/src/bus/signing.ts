import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { createGrowingLru } from '../lib/growing-lru.ts';
import { type KeyRing, keyId } from '../secrets/key-ring.ts';

/** Older texts are refused, and so are texts from the future: nodes' clocks may differ by this much. */
const maxAgeMilliseconds = 30_000;
/** While a text of a sender is young enough to be accepted, the sender is remembered. */
const rememberMilliseconds = 4 * maxAgeMilliseconds;
/** Only processes that have the key get in, so there are as many as have run within the last two minutes. */
const maxSenders = 10_000;
/** Sender, id of the key, number, time and code, before the content. */
const signed = /^([\w-]{1,64})\/([0-9a-f]{16})\/(\d{1,15})\/(\d{1,15})\/([\w-]{43}) /;

export type Opened =
  | { text: string }
  /**
   * `own`: this process is named as its sender. `forged`: no process with the key has signed it for this channel. `repeated`: it,
   * or a later text of its sender, was opened before. `untimely`: it is old or from the future, or the clocks of the nodes differ.
   */
  | { refused: 'own' | 'forged' | 'repeated' | 'untimely' };

export interface SigningOptions {
  keyRing: KeyRing;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Proves that texts come from a process that has the installation's key, for one channel, now, and once. */
export function createSigning({ keyRing, now = Date.now }: SigningOptions) {
  const keys = new Map<string, KeyObject>();
  /** The highest number of each sender. */
  const numbers = createGrowingLru<number>(maxSenders, { ttl: rememberMilliseconds });
  let keyName = nameOf(keyRing.current);
  let number = 0;
  let own: string | undefined;

  function findKey(name: string): KeyObject | undefined {
    const known = keys.get(name);
    if (known) return known;
    const found = keyRing.find(Buffer.from(name, 'hex'));
    if (!found) return undefined;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', found, '', 'svc bus', 32)));
    keys.set(name, key);
    return key;
  }

  return {
    /** Names the key that signs. */
    get keyName(): string {
      return keyName;
    },
    /** Checks whether the installation has another key now; if so, returns true and signs with it from now on. */
    renew(): boolean {
      const current = nameOf(keyRing.current);
      const isOther = current !== keyName;
      keyName = current;
      return isOther;
    },
    /** The text begins with the name of this process and a space. */
    sign(channel: string, text: string): string {
      const key = findKey(keyName);
      if (!key) throw new Error('The key that signs messages on the bus is gone.');
      const space = text.indexOf(' ');
      own ??= text.slice(0, space);
      number += 1;
      const head = `${own}/${keyName}/${number}/${now()}`;
      const content = text.slice(space);
      return `${head}/${codeOf(key, channel, head, content).toString('base64url')}${content}`;
    },
    /** Accepts the texts of previous keys too. */
    open(channel: string, text: string): Opened {
      // Redis returns what this process publishes on channels that it has joined.
      if (own !== undefined && text.startsWith(own)) return { refused: 'own' };
      const [start = '', sender = '', name = '', count, time, code = ''] = signed.exec(text) ?? [];
      const key = start && findKey(name);
      if (!key) return { refused: 'forged' };
      const head = start.slice(0, -(code.length + 2));
      const content = text.slice(start.length - 1);
      const expected = codeOf(key, channel, head, content);
      if (!timingSafeEqual(expected, Buffer.from(code, 'base64url'))) return { refused: 'forged' };
      if (Number(count) <= (numbers.get(sender) ?? 0)) return { refused: 'repeated' };
      if (Math.abs(now() - Number(time)) > maxAgeMilliseconds) return { refused: 'untimely' };
      numbers.set(sender, Number(count));
      return { text: sender + content };
    },
  };
}

function nameOf(key: Buffer): string {
  return keyId(key).toString('hex');
}

/** The length keeps the end of the channel from being read as the beginning of the head. */
function codeOf(key: KeyObject, channel: string, head: string, content: string): Buffer {
  return createHmac('sha256', key).update(`${channel.length} ${channel} ${head}${content}`).digest();
}
