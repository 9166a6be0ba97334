import { randomBytes } from 'node:crypto';
import { type AudioFormat, frameMs, silence } from '../audio-format.ts';
import type { Peer } from '../message/sip-message.ts';
import type { Agreement } from '../sdp/negotiate.ts';
import { createDecoder, createEncoder, type Encoding, formatOf, frameTicks } from './codec.ts';
import { createJitterBuffer } from './jitter-buffer.ts';
import type { Pacer } from './pacer.ts';
import { createPlayoutQueue } from './playout-queue.ts';
import { createRemoteSource } from './remote-source.ts';
import { parseRtp, type RtpPacket } from './rtp-packet.ts';
import type { RtpPortPair } from './rtp-ports.ts';
import { createRtpSender } from './rtp-sender.ts';
import { createSrtpReceiver, createSrtpSender, srtpKeyBytes } from './srtp.ts';

export type MediaSession = ReturnType<typeof createMediaSession>;

export interface MediaEvents {
  onAudio(frame: Buffer): void;
  onDigit(digit: string): void;
}

/** After a stall of the process this many packets are sent at once; the rest of the time is skipped. */
const maxBurst = 3;
const digitFrames = 6;
const maxUnconfirmed = 50;
const maxDigits = 64;

interface Conversion {
  encoding: Encoding;
  convert(audio: Buffer): Buffer;
}

/**
 * The audio of one call, in both directions. It is given and taken in one format as long as the call lasts, however packets carry it:
 * the one that fits what is agreed on first, unless another call that it is to be connected with has decided about it.
 */
export function createMediaSession(options: {
  format?: AudioFormat | undefined;
  ports: RtpPortPair;
  pacer: Pacer;
  isAllowed(address: string): boolean;
  /** The other side is confirmed, and its audio is at an address that is not allowed. */
  onBlocked(address: string): void;
  /** A packet could not be handled. */
  onError(error: unknown): void;
}) {
  const { ports, pacer, isAllowed, onBlocked, onError } = options;
  const { socket } = ports;
  let fixedFormat = options.format;
  const format = () => fixedFormat ?? 'mulaw-8000';
  let quiet = silence(format(), frameMs);
  const playout = createPlayoutQueue(format);
  const jitter = createJitterBuffer({ format, decode });
  const remote = createRemoteSource({ isAllowed });
  const sender = createRtpSender();
  const digits = createDigitReader();
  const srtpKey = randomBytes(srtpKeyBytes);
  const encrypt = createSrtpSender(srtpKey);
  let decrypt: ((packet: Buffer) => Buffer | undefined) | undefined;
  let agreement: Agreement | undefined;
  let events: MediaEvents | undefined;
  let pressed: { payload: Buffer; isFirst: boolean }[] = [];
  let source: number | undefined;
  let decoder: Conversion | undefined;
  let encoder: Conversion | undefined;
  let heardAt = 0;
  let hasDigits = false;
  let filler: (() => Buffer) | undefined;
  let stopPacing: (() => void) | undefined;
  let unconfirmedLeft = maxUnconfirmed;
  let blocked: string | undefined;

  socket.onMessage((data, peer) => {
    const plain = decrypt ? decrypt(data) : data;
    const packet = agreement && plain && parseRtp(plain);
    if (!packet || !remote.accepts(peer)) return;
    try {
      receive(packet);
    } catch (error) {
      onError(error);
    }
  });

  function receive(packet: RtpPacket): void {
    heardAt = performance.now();
    const encoding = agreement?.receive.get(packet.payloadType);
    if (encoding) {
      const { sequence, timestamp, payload } = packet;
      if (source !== packet.source) {
        jitter.reset();
        decoder = undefined;
      }
      source = packet.source;
      hear(jitter.push({ sequence, timestamp, encoding, payload }));
    } else if (packet.payloadType === agreement?.events) {
      hasDigits = true;
      const digit = digits.read(packet);
      if (digit !== undefined) events?.onDigit(digit);
    }
  }

  function decode(encoding: Encoding, payload: Buffer): Buffer {
    if (decoder?.encoding !== encoding) decoder = { encoding, convert: createDecoder(encoding, format()) };
    return decoder.convert(payload);
  }

  function encode(encoding: Encoding, frame: Buffer): Buffer {
    if (encoder?.encoding !== encoding) encoder = { encoding, convert: createEncoder(encoding, format()) };
    return encoder.convert(frame);
  }

  function transmit(packet: Buffer, crypto: Agreement['crypto'], target: Peer): void {
    socket.send(crypto ? encrypt(packet, crypto.suite) : packet, target);
  }

  function sendFrame({ send, events: eventType, crypto }: Agreement): void {
    const target = remote.target;
    const event = eventType === undefined ? undefined : pressed.shift();
    if (event && eventType !== undefined && target) {
      transmit(sender.event(eventType, event.payload, event.isFirst), crypto, target);
      return;
    }
    const frame = playout.next() ?? filler?.() ?? quiet;
    // Strangers must not make us encode audio that is sent nowhere.
    if (target) transmit(sender.audio(send.payloadType, encode(send.encoding, frame)), crypto, target);
    else sender.skip(1);
  }

  function reportBlocked(): void {
    if (unconfirmedLeft <= maxUnconfirmed || !agreement?.isListening) return;
    const { address } = agreement;
    if (isAllowed(address) || address === blocked) return;
    blocked = address;
    onBlocked(address);
  }

  /** Queued audio is kept while the other side does not listen. */
  function play(frames: number): void {
    if (!agreement) return;
    const sent = agreement.isListening ? Math.min(frames, maxBurst, unconfirmedLeft) : 0;
    unconfirmedLeft -= sent;
    if (frames > sent) sender.skip(frames - sent);
    for (let count = 0; count < sent; count += 1) sendFrame(agreement);
  }

  /** Music on hold is not speech of the other side. */
  function hear(frames: readonly Buffer[]): void {
    for (const frame of frames) events?.onAudio(agreement?.isListening ? frame : quiet);
  }

  return {
    port: socket.port,
    /** What our audio is encrypted with, if the other side agrees to that. */
    srtpKey,
    /** Of the audio of `playout`, `fill` and `onAudio`; final from the first agreement on. */
    get format(): AudioFormat {
      return format();
    },
    /** The same, if it is final. */
    get fixedFormat(): AudioFormat | undefined {
      return fixedFormat;
    },
    playout,
    /** How long nothing has been received, since the session was started. */
    get silentMs(): number {
      return performance.now() - heardAt;
    },
    /** Whether the other side reports pressed keys among its audio. */
    get hasDigits(): boolean {
      return hasDigits;
    },
    listen(handlers: MediaEvents): void {
      events = handlers;
    },
    /** Starts sending and receiving, or changes how. */
    use(next: Agreement): void {
      const { crypto } = next;
      const last = agreement?.crypto;
      const isSameKey = crypto !== undefined && last?.suite === crypto.suite && last.key.equals(crypto.key);
      // What has arrived is remembered as long as the key is the same.
      if (!isSameKey) decrypt = crypto && createSrtpReceiver(crypto.key, crypto.suite);
      agreement = next;
      fixedFormat ??= formatOf(next.send.encoding);
      quiet = silence(fixedFormat, frameMs);
      remote.signal({ address: next.address, port: next.port });
      reportBlocked();
      if (stopPacing) return;
      heardAt = performance.now();
      stopPacing = pacer.add({ play, listen: (frames) => hear(jitter.tick(frames)) });
    },
    /** The other side is known to receive us. Until then only a second of audio is sent, which opens address translations. */
    confirm(): void {
      unconfirmedLeft = Number.POSITIVE_INFINITY;
      reportBlocked();
    },
    /** What the other side hears while nothing is played, frame by frame; silence if undefined. */
    fill(frames: (() => Buffer) | undefined): void {
      filler = frames;
    },
    /** Sends a pressed key to the other side. */
    press(digit: string): void {
      if (pressed.length > maxDigits * digitFrames) return;
      const payloads = digitPayloads(digit, digitFrames) ?? [];
      pressed.push(...payloads.map((payload, index) => ({ payload, isFirst: index === 0 })));
    },
    close(): void {
      stopPacing?.();
      events = undefined;
      pressed = [];
      playout.clear();
      ports.close();
    },
  };
}

const digits = '0123456789*#ABCD';
/** The end of a key is sent three times, in case a packet is lost. */
const endPackets = 3;

/** Reads pressed keys (RFC 4733). */
export function createDigitReader() {
  let last: number | undefined;
  /** Some gateways send keys as a source of their own beside the audio. */
  let from: number | undefined;
  return {
    /** The digit that this packet reports for the first time: many packets report the same press. */
    read({
      source,
      timestamp,
      payload,
    }: Pick<RtpPacket, 'source' | 'timestamp' | 'payload'>): string | undefined {
      if (payload.length < 4) return undefined;
      const digit = digits[payload.readUInt8(0)];
      // All packets of a press have its first timestamp; a packet of an earlier press is late.
      const isNew = last === undefined || source !== from || ((timestamp - last) | 0) > 0;
      if (digit === undefined || !isNew) return undefined;
      last = timestamp;
      from = source;
      return digit;
    },
  };
}

/** The payloads of one press of a key, one for each frame; `undefined` if there is no such key. */
export function digitPayloads(digit: string, frames: number): Buffer[] | undefined {
  const event = digits.indexOf(digit);
  if (event === -1 || digit.length !== 1) return undefined;
  return Array.from({ length: frames + endPackets - 1 }, (_value, index) => {
    const isEnd = index >= frames - 1;
    const payload = Buffer.alloc(4);
    payload.writeUInt8(event, 0);
    payload.writeUInt8((isEnd ? 0x80 : 0) | 10, 1);
    payload.writeUInt16BE(frameTicks * Math.min(index + 1, frames), 2);
    return payload;
  });
}
