import { type AudioFormat, bytesPerMs, frameBytes, frameMs, silence } from '../audio-format.ts';
import { createAudioQueue } from './audio-queue.ts';

/** Our audio that waits to be played on a call. */
export function createPlayoutQueue(format: () => AudioFormat) {
  const waiting = createAudioQueue();
  let playedBytes = 0;

  return {
    get playedMs(): number {
      return playedBytes / bytesPerMs(format());
    },
    get queuedMs(): number {
      return (playedBytes + waiting.length) / bytesPerMs(format());
    },
    push: waiting.push,
    clear: waiting.clear,
    /** The next frame, filled up with silence; `undefined` if nothing waits. */
    next(): Buffer | undefined {
      if (waiting.length === 0) return undefined;
      const length = frameBytes(format());
      const audio = waiting.take(length);
      playedBytes += audio.length;
      return Buffer.concat([audio, silence(format(), frameMs)], length);
    },
  };
}
