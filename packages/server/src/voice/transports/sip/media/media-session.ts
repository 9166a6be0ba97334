import { silence } from '../../../audio/format.ts';
import { alawToMulaw, mulawToAlaw } from '../../../audio/g711.ts';
import { createJitterBuffer } from '../../../audio/jitter-buffer.ts';
import type { Pacer } from '../../../audio/pacer.ts';
import { createPlayoutQueue, type PlayoutQueue } from '../../../audio/playout-queue.ts';
import type { Agreement } from '../sdp/negotiate.ts';
import { createRemoteSource } from './remote-source.ts';
import { parseRtp, type RtpPacket } from './rtp-packet.ts';
import type { RtpPortPair } from './rtp-ports.ts';
import { createRtpSender } from './rtp-sender.ts';
import { createDigitReader, digitPayloads } from './telephone-events.ts';

/** The audio of one call, in both directions. */
export interface MediaSession {
  readonly port: number;
  readonly playout: PlayoutQueue;
  /** How long nothing has been received, since the session was started. */
  readonly silentMs: number;
  /** Whether the other side reports pressed keys among its audio. */
  readonly hasDigits: boolean;
  listen(events: MediaEvents): void;
  /** Sends and receives from now on, or in another way than before. */
  use(agreement: Agreement): void;
  /** Presses a key for the other side to hear. */
  press(digit: string): void;
  close(): void;
}

export interface MediaEvents {
  onAudio(frame: Buffer): void;
  onDigit(digit: string): void;
}

export interface MediaSessionOptions {
  ports: RtpPortPair;
  pacer: Pacer;
  isAllowed(address: string): boolean;
}

const format = 'mulaw-8000';
/** After a stall of the process so many packets are sent together; the time beyond is left out. */
const maxBurst = 3;
const digitFrames = 6;
const maxDigits = 64;

export function createMediaSession({ ports, pacer, isAllowed }: MediaSessionOptions): MediaSession {
  const { socket } = ports;
  const playout = createPlayoutQueue(format);
  const jitter = createJitterBuffer();
  const remote = createRemoteSource({ isAllowed });
  const sender = createRtpSender();
  let digits = createDigitReader();
  const quiet = silence(format, 20);
  let agreement: Agreement | undefined;
  let events: MediaEvents | undefined;
  let pressed: { payload: Buffer; isFirst: boolean }[] = [];
  let source: number | undefined;
  let heardAt = 0;
  let hasDigits = false;
  let stopPacing: (() => void) | undefined;

  socket.onMessage((data, peer) => {
    const packet = agreement && parseRtp(data);
    if (packet && remote.accepts(peer)) receive(packet);
  });

  function receive(packet: RtpPacket): void {
    heardAt = performance.now();
    if (source !== packet.source) {
      source = packet.source;
      jitter.reset();
      digits = createDigitReader();
    }
    const encoding = agreement?.receive.get(packet.payloadType);
    if (encoding) {
      const { sequence, timestamp, payload } = packet;
      jitter.push({ sequence, timestamp, audio: encoding === 'pcma' ? alawToMulaw(payload) : payload });
    } else if (packet.payloadType === agreement?.events) {
      hasDigits = true;
      const digit = digits.read(packet);
      if (digit !== undefined) events?.onDigit(digit);
    }
  }

  function sendFrame({ send, events: eventType }: Agreement): void {
    const target = remote.target;
    const event = eventType === undefined ? undefined : pressed.shift();
    if (event && eventType !== undefined && target) {
      socket.send(sender.event(eventType, event.payload, event.isFirst), target);
      return;
    }
    const frame = playout.next() ?? quiet;
    const payload = send.encoding === 'pcma' ? mulawToAlaw(frame) : frame;
    const packet = sender.audio(send.payloadType, payload);
    if (target) socket.send(packet, target);
  }

  /** What waits to be played waits on while the other side does not listen. */
  function play(frames: number): void {
    if (!agreement) return;
    const sent = agreement.isListening ? Math.min(frames, maxBurst) : 0;
    if (frames > sent) sender.skip(frames - sent);
    for (let count = 0; count < sent; count += 1) sendFrame(agreement);
  }

  /** The music of a call on hold is not what the other side says. */
  function hear(frames: number): void {
    for (let count = 0; count < frames; count += 1) {
      const frame = jitter.pull();
      events?.onAudio(agreement?.isListening ? frame : silence(format, 20));
    }
  }

  return {
    port: socket.port,
    playout,
    get silentMs() {
      return performance.now() - heardAt;
    },
    get hasDigits() {
      return hasDigits;
    },
    listen(handlers) {
      events = handlers;
    },
    use(next) {
      agreement = next;
      remote.signal({ address: next.address, port: next.port });
      if (stopPacing) return;
      heardAt = performance.now();
      stopPacing = pacer.add({ play, listen: hear });
    },
    press(digit) {
      if (pressed.length > maxDigits * digitFrames) return;
      const payloads = digitPayloads(digit, digitFrames) ?? [];
      pressed.push(...payloads.map((payload, index) => ({ payload, isFirst: index === 0 })));
    },
    close() {
      stopPacing?.();
      events = undefined;
      pressed = [];
      playout.clear();
      ports.close();
    },
  };
}
