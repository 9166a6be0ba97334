import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { rtpHeaderBytes } from './rtp-packet.ts';

/** Encrypted audio (RFC 3711), with the ciphers that are in use; both encrypt alike, and differ in the length of the tag. */
export type SrtpSuite = 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32';

const tagBytes: Readonly<Record<SrtpSuite, number>> = {
  AES_CM_128_HMAC_SHA1_80: 10,
  AES_CM_128_HMAC_SHA1_32: 4,
};

export const isSrtpSuite = (name: string): name is SrtpSuite => Object.hasOwn(tagBytes, name);

/** A master key of 16 bytes and its salt of 14, as descriptions contain them. */
export const srtpKeyBytes = 30;

export interface SessionKeys {
  cipher: Buffer;
  authentication: Buffer;
  salt: Buffer;
}

export function deriveSessionKeys(master: Buffer): SessionKeys {
  const key = master.subarray(0, 16);
  const derive = (label: number, length: number) => {
    const counter = Buffer.alloc(16);
    master.copy(counter, 0, 16, srtpKeyBytes);
    counter.writeUInt8(counter.readUInt8(7) ^ label, 7);
    return createCipheriv('aes-128-ctr', key, counter).update(Buffer.alloc(length));
  };
  return { cipher: derive(0, 16), authentication: derive(1, 20), salt: derive(2, 14) };
}

/** Encrypts or decrypts: the packet's number among all of its source decides about the key stream. */
export function applyCipher(
  { cipher, salt }: Pick<SessionKeys, 'cipher' | 'salt'>,
  packet: Buffer,
  rollovers: number,
  start: number,
): Buffer {
  const counter = Buffer.alloc(16);
  salt.copy(counter);
  const mix = (offset: number, value: number) =>
    counter.writeUInt32BE((counter.readUInt32BE(offset) ^ value) >>> 0, offset);
  mix(4, packet.readUInt32BE(8));
  mix(8, rollovers);
  mix(12, packet.readUInt16BE(2) << 16);
  const payload = createCipheriv('aes-128-ctr', cipher, counter).update(packet.subarray(start));
  return Buffer.concat([packet.subarray(0, start), payload]);
}

function tagOf(keys: SessionKeys, packet: Buffer, rollovers: number, suite: SrtpSuite): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(rollovers);
  const digest = createHmac('sha1', keys.authentication).update(packet).update(number).digest();
  return digest.subarray(0, tagBytes[suite]);
}

/** Encrypts the packets of one source, which have to be given in their order. */
export function createSrtpSender(master: Buffer): (packet: Buffer, suite: SrtpSuite) => Buffer {
  const keys = deriveSessionKeys(master);
  let rollovers = 0;
  let last = 0;
  return (packet, suite) => {
    const sequence = packet.readUInt16BE(2);
    if (sequence < last) rollovers += 1;
    last = sequence;
    const encrypted = applyCipher(keys, packet, rollovers, rtpHeaderBytes(packet) ?? packet.length);
    return Buffer.concat([encrypted, tagOf(keys, encrypted, rollovers, suite)]);
  };
}

/** Of one source: the highest number so far, and which of the 64 up to it have arrived. */
interface Received {
  highest: number;
  window: bigint;
}

const windowPackets = 64;
const cycle = 0x1_0000;
/** Gateways may send keys, or what follows a transfer, as a source of its own. */
const maxSources = 16;

/** Decrypts packets. `undefined`: it is not from the other side, or has arrived before. */
export function createSrtpReceiver(master: Buffer, suite: SrtpSuite): (packet: Buffer) => Buffer | undefined {
  const keys = deriveSessionKeys(master);
  const sources = new Map<number, Received>();

  return (data) => {
    const end = data.length - tagBytes[suite];
    const packet = data.subarray(0, Math.max(end, 0));
    const start = rtpHeaderBytes(packet);
    if (start === undefined) return undefined;
    const source = packet.readUInt32BE(8);
    const received = sources.get(source);
    const index = indexOf(packet.readUInt16BE(2), received?.highest);
    const back = received ? received.highest - index : -1;
    const isReplayed = back >= 0 && ((received?.window ?? 0n) >> BigInt(back)) & 1n;
    if (index < 0 || back >= windowPackets || isReplayed) return undefined;
    const rollovers = Math.floor(index / cycle);
    if (!timingSafeEqual(tagOf(keys, packet, rollovers, suite), data.subarray(end))) return undefined;
    sources.set(source, advance(received, index));
    const [oldest] = sources.keys();
    if (sources.size > maxSources && oldest !== undefined) sources.delete(oldest);
    return applyCipher(keys, packet, rollovers, start);
  };
}

/** The number of a packet among all of its source: the nearest to the highest so far that ends with its sequence number. */
function indexOf(sequence: number, highest: number | undefined): number {
  if (highest === undefined) return sequence;
  const near = highest - (highest % cycle) + sequence;
  if (near - highest > cycle / 2) return near - cycle;
  return highest - near > cycle / 2 ? near + cycle : near;
}

function advance(received: Received | undefined, index: number): Received {
  if (!received) return { highest: index, window: 1n };
  const { highest, window } = received;
  if (index <= highest) return { highest, window: window | (1n << BigInt(highest - index)) };
  const moved = BigInt(Math.min(index - highest, windowPackets));
  return { highest: index, window: BigInt.asUintN(windowPackets, window << moved) | 1n };
}
