import { createAudioQueue } from '@svc/sip/media/audio-queue';
import { durationMs, frameBytes, frameMs, silence } from '../../audio/format.ts';

export interface AudioChunk {
  /** Counts the chunks of a stream. */
  chunk: number;
  /** Since the stream began. */
  timestampMs: number;
  audio: Buffer;
}

const format = 'mulaw-8000';
/** Timestamps are not exact: below this, nothing is missing. */
const toleranceMs = 2 * frameMs;
/** A longer gap is not filled: the audio was interrupted, and the silence would only delay what follows. */
const maxGapMs = 2_000;

/** The other side's audio as whole frames in their order, with silence in place of what is missing. */
export function createInboundAudio(onFrame: (frame: Buffer) => void) {
  const size = frameBytes(format);
  let lastChunk = Number.NEGATIVE_INFINITY;
  let expectedMs: number | undefined;
  const queue = createAudioQueue();

  function push(audio: Buffer): void {
    queue.push(audio);
    while (queue.length >= size) onFrame(queue.take(size));
  }

  return ({ chunk, timestampMs, audio }: AudioChunk): void => {
    // Late or repeated: its place is taken.
    if (chunk <= lastChunk) return;
    lastChunk = chunk;
    const gapMs = timestampMs - (expectedMs ?? timestampMs);
    if (gapMs >= toleranceMs && gapMs <= maxGapMs) push(silence(format, gapMs));
    const isOff = Math.abs(gapMs) >= toleranceMs || expectedMs === undefined;
    expectedMs = (isOff ? timestampMs : (expectedMs ?? timestampMs)) + durationMs(format, audio);
    push(audio);
  };
}
