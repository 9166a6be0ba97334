import { frameBytes, silence } from './format.ts';

/** Audio as a packet brings it: μ-law with the sender's count of samples. */
export interface AudioPacket {
  sequence: number;
  timestamp: number;
  audio: Buffer;
}

/**
 * Turns packets that are early, lost, doubled or in disorder into a sequence of frames. What comes in order is passed on at once: nobody
 * listens in real time, and every delay would be one of the reply.
 */
export interface JitterBuffer {
  /** The frames that can be heard now. */
  push(packet: AudioPacket): Buffer[];
  /** So many frames of time have passed. Returns silence while nothing arrives, and what has waited in vain for what is before it. */
  tick(frames: number): Buffer[];
  /** Begins anew: another source is sending. */
  reset(): void;
}

const format = 'mulaw-8000';
const frame = frameBytes(format);
const samples = (milliseconds: number) => (milliseconds * frame) / 20;
const maxPacket = samples(500);
/** How long a packet waits for the ones before it. */
const maxHeldFrames = 3;
const maxHeld = 32;
/** Silence is heard after so much time without packets: the next one may only be late. */
const maxIdleFrames = 5;
/** Packets this far off mean that the sender counts anew, and so do so many old ones in a row. */
const maxOff = samples(2_000);
const maxOld = 10;
/** Senders may be a little faster than our clock, or make up for a while. What is beyond that is not heard. */
const maxSpeed = 1.25;
const maxAhead = samples(2_000);

export function createJitterBuffer(): JitterBuffer {
  let expected: { sequence: number; timestamp: number } | undefined;
  /** In the order of their timestamps; the first one has a gap before it. */
  let held: AudioPacket[] = [];
  let heldFrames = 0;
  let idleFrames = maxIdleFrames;
  let hasArrived = false;
  let silentSamples = 0;
  let oldPackets = 0;
  let ahead = 0;
  let rest: Buffer = Buffer.alloc(0);

  function framesOf(audio: Buffer): Buffer[] {
    const all = Buffer.concat([rest, audio]);
    const count = Math.floor(all.length / frame);
    rest = all.subarray(count * frame);
    return Array.from({ length: count }, (_value, index) => all.subarray(index * frame, (index + 1) * frame));
  }

  const distance = (timestamp: number) => (expected ? (timestamp - expected.timestamp) | 0 : 0);

  /** Passes it on, after silence where something is missing that was not heard as silence before. */
  function pass({ sequence, timestamp, audio }: AudioPacket): Buffer[] {
    const off = distance(timestamp);
    const news = off < 0 ? audio.subarray(-off) : audio;
    if (news.length === 0) return [];
    const gap = Math.max(0, off - silentSamples);
    ahead += gap + news.length;
    silentSamples = 0;
    oldPackets = 0;
    expected = { sequence: (sequence + 1) & 0xffff, timestamp: (timestamp + audio.length) >>> 0 };
    return framesOf(gap > 0 ? Buffer.concat([Buffer.alloc(gap, 0xff), news]) : news);
  }

  /** What was held, up to the next gap. */
  function passHeld(): Buffer[] {
    const passed: Buffer[] = [];
    for (let next = held[0]; next && isNext(next); next = held[0]) {
      held.shift();
      passed.push(...pass(next));
    }
    heldFrames = 0;
    return passed;
  }

  /** A sender that is silent sends nothing, but counts on. */
  const isNext = ({ sequence, timestamp }: AudioPacket) =>
    distance(timestamp) <= 0 || sequence === expected?.sequence;

  function hold(packet: AudioPacket): void {
    const isKnown = held.some(({ sequence }) => sequence === packet.sequence);
    if (isKnown || held.length >= maxHeld) return;
    held.push(packet);
    held.sort((one, other) => distance(one.timestamp) - distance(other.timestamp));
  }

  function reset(): void {
    expected = undefined;
    held = [];
    heldFrames = 0;
    oldPackets = 0;
  }

  return {
    push(packet) {
      const { timestamp, audio } = packet;
      if (audio.length === 0 || audio.length > maxPacket || ahead > maxAhead) return [];
      hasArrived = true;
      const off = distance(timestamp);
      const isOld = off + audio.length <= 0;
      if (isOld) oldPackets += 1;
      if (Math.abs(off) > maxOff || oldPackets > maxOld) reset();
      else if (isOld) return [];
      if (isNext(packet)) return [...pass(packet), ...passHeld()];
      hold(packet);
      return [];
    },
    tick(frames) {
      ahead = Math.max(0, ahead - frames * frame * maxSpeed);
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
      silentSamples += silentFrames * frame;
      return framesOf(silence(format, silentFrames * 20));
    },
    reset,
  };
}
