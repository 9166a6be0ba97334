import { bytesPerMs, frameBytes, frameMs, silence } from '../g711.ts';
import { createAudioQueue } from './audio-queue.ts';

/** Our μ-law audio that waits to be played on a call. */
export function createPlayoutQueue() {
  const waiting = createAudioQueue();
  let playedBytes = 0;

  return {
    get playedMs(): number {
      return playedBytes / bytesPerMs;
    },
    get queuedMs(): number {
      return (playedBytes + waiting.length) / bytesPerMs;
    },
    push: waiting.push,
    clear: waiting.clear,
    /** The next frame, filled up with silence; `undefined` if nothing waits. */
    next(): Buffer | undefined {
      if (waiting.length === 0) return undefined;
      const audio = waiting.take(frameBytes);
      playedBytes += audio.length;
      return Buffer.concat([audio, silence(frameMs)], frameBytes);
    },
  };
}
