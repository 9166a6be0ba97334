import { bytesPerMs, frameBytes, frameMs, silence } from '../g711.ts';

/** Our μ-law audio that waits to be played on a call. */
export interface PlayoutQueue {
  push(audio: Buffer): void;
  clear(): void;
  drained(): Promise<'played' | 'cleared'>;
  readonly playedMs: number;
  readonly queuedMs: number;
  /** The next frame, filled up with silence; `undefined` if nothing waits. */
  next(): Buffer | undefined;
}

interface Waiter {
  position: number;
  resolve(outcome: 'played' | 'cleared'): void;
}

export function createPlayoutQueue(): PlayoutQueue {
  let chunks: Buffer[] = [];
  let waiters: Waiter[] = [];
  let playedBytes = 0;
  let queuedBytes = 0;

  function settlePlayed(): void {
    if (waiters[0] === undefined || waiters[0].position > playedBytes) return;
    const reached = waiters.filter(({ position }) => position <= playedBytes);
    waiters = waiters.filter(({ position }) => position > playedBytes);
    for (const waiter of reached) waiter.resolve('played');
  }

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
    get playedMs() {
      return playedBytes / bytesPerMs;
    },
    get queuedMs() {
      return queuedBytes / bytesPerMs;
    },
    push(audio) {
      if (audio.length === 0) return;
      chunks.push(audio);
      queuedBytes += audio.length;
    },
    clear() {
      const discarded = waiters;
      chunks = [];
      waiters = [];
      queuedBytes = playedBytes;
      for (const waiter of discarded) waiter.resolve('cleared');
    },
    drained() {
      if (playedBytes === queuedBytes) return Promise.resolve('played');
      return new Promise((resolve) => waiters.push({ position: queuedBytes, resolve }));
    },
    next() {
      if (chunks.length === 0) return undefined;
      const frame = silence(frameMs);
      fill(frame);
      settlePlayed();
      return frame;
    },
  };
}
