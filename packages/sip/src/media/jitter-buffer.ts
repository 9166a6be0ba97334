import { type AudioFormat, frameBytes, frameMs, silence } from '../audio-format.ts';
import { createAudioQueue } from './audio-queue.ts';
import { type Encoding, frameTicks, ticksPerMs } from './codec.ts';

/** Audio as a packet brings it, with the sender's count of ticks. */
export interface AudioPacket {
  sequence: number;
  timestamp: number;
  encoding: Encoding;
  /** A byte per tick. */
  payload: Buffer;
}

const ticks = (milliseconds: number) => milliseconds * ticksPerMs;
const maxPacket = ticks(500);
/** How long a packet waits for the ones before it. */
const maxHeldFrames = 3;
const maxHeld = 32;
/** Silence is reported after this much time without packets: the next one may only be late. */
const maxIdleFrames = 5;
/** Packets this far off mean that the sender has restarted its count, and so do this many old ones in a row. */
const maxOff = ticks(2_000);
const maxOld = 10;
/** Senders may be a little faster than our clock, or catch up after a pause. What exceeds that is dropped. */
const maxSpeed = 1.25;
const maxAhead = ticks(2_000);

export interface JitterBufferOptions {
  /** Of the frames. */
  format(): AudioFormat;
  /** Called in the order of the packets. Answers with audio in that format. */
  decode(encoding: Encoding, payload: Buffer): Buffer;
}

/**
 * Turns packets that are early, lost, duplicated or out of order into a sequence of frames. Packets in order are passed on at once:
 * speech recognition needs no steady pace, and every delay here would delay the reply.
 */
export function createJitterBuffer({ format, decode }: JitterBufferOptions) {
  let expected: { sequence: number; timestamp: number } | undefined;
  /** In the order of their timestamps; the first one has a gap before it. */
  let held: AudioPacket[] = [];
  let heldFrames = 0;
  let idleFrames = maxIdleFrames;
  let hasArrived = false;
  let silentTicks = 0;
  let oldPackets = 0;
  let ahead = 0;
  const passed = createAudioQueue();

  function framesOf(audio: Buffer): Buffer[] {
    passed.push(audio);
    const length = frameBytes(format());
    return Array.from({ length: Math.floor(passed.length / length) }, () => passed.take(length));
  }

  const distance = (timestamp: number) => (expected ? (timestamp - expected.timestamp) | 0 : 0);

  /** Passes it on, after silence for what is missing and was not reported as silence before. */
  function pass({ sequence, timestamp, encoding, payload }: AudioPacket): Buffer[] {
    const off = distance(timestamp);
    const news = off < 0 ? payload.subarray(-off) : payload;
    if (news.length === 0) return [];
    const gap = Math.max(0, off - silentTicks);
    ahead += gap + news.length;
    silentTicks = 0;
    oldPackets = 0;
    expected = { sequence: (sequence + 1) & 0xffff, timestamp: (timestamp + payload.length) >>> 0 };
    const audio = decode(encoding, news);
    return framesOf(gap > 0 ? Buffer.concat([silence(format(), gap / ticksPerMs), audio]) : audio);
  }

  /** What was held, up to the next gap. */
  function passHeld(): Buffer[] {
    const frames: Buffer[] = [];
    for (let next = held[0]; next && isNext(next); next = held[0]) {
      held.shift();
      frames.push(...pass(next));
    }
    heldFrames = 0;
    return frames;
  }

  /** A silent sender sends nothing, but its timestamps continue. */
  const isNext = ({ sequence, timestamp }: AudioPacket) =>
    distance(timestamp) <= 0 || sequence === expected?.sequence;

  function hold(packet: AudioPacket): void {
    const isKnown = held.some(({ sequence }) => sequence === packet.sequence);
    if (isKnown || held.length >= maxHeld) return;
    held.push(packet);
    held.sort((one, other) => distance(one.timestamp) - distance(other.timestamp));
  }

  /** Starts over, because another source is sending. */
  function reset(): void {
    expected = undefined;
    held = [];
    heldFrames = 0;
    oldPackets = 0;
  }

  return {
    /** The frames that can be heard now. */
    push(packet: AudioPacket): Buffer[] {
      const { timestamp, payload } = packet;
      if (payload.length === 0 || payload.length > maxPacket || ahead > maxAhead) return [];
      hasArrived = true;
      const off = distance(timestamp);
      const isOld = off + payload.length <= 0;
      if (isOld) oldPackets += 1;
      if (Math.abs(off) > maxOff || oldPackets > maxOld) reset();
      else if (isOld) return [];
      if (isNext(packet)) return [...pass(packet), ...passHeld()];
      hold(packet);
      return [];
    },
    /** This many frames of time have passed. Returns silence while nothing arrives, and packets that have waited long enough. */
    tick(frames: number): Buffer[] {
      ahead = Math.max(0, ahead - frames * frameTicks * maxSpeed);
      idleFrames = hasArrived ? 0 : idleFrames + frames;
      hasArrived = false;
      if (held.length > 0) {
        heldFrames += frames;
        const [first] = held;
        if (!first || heldFrames < maxHeldFrames) return [];
        held.shift();
        return [...pass(first), ...passHeld()];
      }
      const silentFrames = Math.min(frames, idleFrames - maxIdleFrames);
      if (silentFrames <= 0) return [];
      silentTicks += silentFrames * frameTicks;
      return framesOf(silence(format(), silentFrames * frameMs));
    },
    reset,
  };
}
