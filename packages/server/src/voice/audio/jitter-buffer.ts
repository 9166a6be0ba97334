import { bytesPerMs, frameBytes, silence } from './format.ts';

/** Audio as a packet brings it: μ-law with the sender's count of samples. */
export interface AudioPacket {
  sequence: number;
  timestamp: number;
  audio: Buffer;
}

/** Turns packets that are late, early, lost or doubled into a continuous sequence of frames. */
export interface JitterBuffer {
  push(packet: AudioPacket): void;
  /** The frame that is due, to be called every 20 ms. Silence where nothing arrived in time. */
  pull(): Buffer;
  /** Begins anew: another source is sending. */
  reset(): void;
  readonly delayMs: number;
}

const format = 'mulaw-8000';
const frame = frameBytes(format);
const samples = (milliseconds: number) => milliseconds * bytesPerMs(format);
const minDelay = samples(40);
const maxDelay = samples(120);
/** Packets this far ahead mean that the sender has skipped something, or that its clock runs faster than ours. */
const maxAhead = maxDelay + 2 * frame;
/** Packets this far behind mean that the sender counts anew. */
const maxBehind = samples(2_000);
/** A power of two, so that a position is found from the timestamp alone, even when that wraps around. */
const capacity = 16_384;
const windowPulls = 100;
const maxLatePulls = 5;
const rememberedSequences = 64;

export function createJitterBuffer(): JitterBuffer {
  const ring = silence(format, capacity / bytesPerMs(format));
  const sequences = new Int32Array(rememberedSequences).fill(-1);
  let readAt: number | undefined;
  let delay = minDelay;
  /** How early the packet that came closest to being late has arrived, in this window. */
  let minSlack = Number.POSITIVE_INFINITY;
  let pulls = 0;
  let latePulls = 0;
  let isLate = false;
  let isTooLong = false;

  function restart(timestamp: number): number {
    ring.fill(0xff);
    readAt = (timestamp - delay) >>> 0;
    minSlack = Number.POSITIVE_INFINITY;
    latePulls = 0;
    isTooLong = false;
    return readAt;
  }

  function isRepeated(sequence: number): boolean {
    const place = sequence % rememberedSequences;
    if (sequences[place] === sequence) return true;
    sequences[place] = sequence;
    return false;
  }

  /** Where to begin reading for this packet: as before, unless it shows that the delay must change. */
  function readingFor(timestamp: number): number {
    if (readAt === undefined) return restart(timestamp);
    const slack = (timestamp - readAt) | 0;
    if (slack > maxAhead || slack < -maxBehind) return restart(timestamp);
    if (slack >= 0) {
      latePulls = 0;
      return readAt;
    }
    // The sender has paused its count: it would be late forever.
    if (latePulls >= maxLatePulls) return restart(timestamp);
    if (isLate) return readAt;
    isLate = true;
    if (delay < maxDelay) {
      delay += frame;
      readAt = (readAt - frame) >>> 0;
    }
    return readAt;
  }

  function write(offset: number, audio: Buffer, start: number): void {
    for (let index = Math.max(0, -offset); index < audio.length; index += 1) {
      ring[(start + offset + index) % capacity] = audio[index] ?? 0xff;
    }
  }

  /** Shortens the delay by one frame, if possible where nobody is speaking. */
  function shorten(): void {
    if (!isTooLong || readAt === undefined) return;
    if (pulls < windowPulls / 2 && !isQuiet(take(readAt, false))) return;
    take(readAt, true);
    readAt = (readAt + frame) >>> 0;
    delay = Math.max(minDelay, delay - frame);
    isTooLong = false;
  }

  function take(start: number, erases: boolean): Buffer {
    const taken = Buffer.allocUnsafe(frame);
    for (let index = 0; index < frame; index += 1) {
      const position = (start + index) % capacity;
      taken[index] = ring[position] ?? 0xff;
      if (erases) ring[position] = 0xff;
    }
    return taken;
  }

  return {
    get delayMs() {
      return delay / bytesPerMs(format);
    },
    push({ sequence, timestamp, audio }) {
      if (audio.length === 0 || audio.length > capacity / 4 || isRepeated(sequence)) return;
      const start = readingFor(timestamp);
      const slack = (timestamp - start) | 0;
      minSlack = Math.min(minSlack, slack);
      if (slack + audio.length > 0) write(slack, audio, start);
    },
    pull() {
      if (readAt === undefined) return silence(format, 20);
      latePulls = isLate ? latePulls + 1 : latePulls;
      isLate = false;
      pulls += 1;
      if (pulls === windowPulls) {
        isTooLong = minSlack !== Number.POSITIVE_INFINITY && minSlack >= minDelay + frame;
        minSlack = Number.POSITIVE_INFINITY;
        pulls = 0;
      }
      shorten();
      const due = take(readAt, true);
      readAt = (readAt + frame) >>> 0;
      return due;
    },
    reset() {
      readAt = undefined;
      delay = minDelay;
      sequences.fill(-1);
    },
  };
}

/** Below about -40 dB. */
function isQuiet(audio: Buffer): boolean {
  return audio.every((byte) => (byte & 0x7f) >= 0x60);
}
