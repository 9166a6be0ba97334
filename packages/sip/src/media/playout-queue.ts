import { bytesPerMs, frameBytes, frameMs, silence } from '../g711.ts';

export type PlayoutQueue = ReturnType<typeof createPlayoutQueue>;

/** Our μ-law audio that waits to be played on a call. */
export function createPlayoutQueue() {
  let chunks: Buffer[] = [];
  let playedBytes = 0;
  let queuedBytes = 0;

  function fill(frame: Buffer): void {
    let filled = 0;
    for (let chunk = chunks[0]; chunk && filled < frameBytes; chunk = chunks[0]) {
      const part = chunk.copy(frame, filled);
      filled += part;
      if (part === chunk.length) chunks.shift();
      else chunks[0] = chunk.subarray(part);
    }
    playedBytes += filled;
  }

  return {
    get playedMs(): number {
      return playedBytes / bytesPerMs;
    },
    get queuedMs(): number {
      return queuedBytes / bytesPerMs;
    },
    push(audio: Buffer): void {
      if (audio.length === 0) return;
      chunks.push(audio);
      queuedBytes += audio.length;
    },
    clear(): void {
      chunks = [];
      queuedBytes = playedBytes;
    },
    /** The next frame, filled up with silence; `undefined` if nothing waits. */
    next(): Buffer | undefined {
      if (chunks.length === 0) return undefined;
      const frame = silence(frameMs);
      fill(frame);
      return frame;
    },
  };
}
