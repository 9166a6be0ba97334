import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../thread-environment.ts';

export interface ThreadLimits {
  timeMs: number;
  memoryMb: number;
}

/** The thread took more time or memory than it may, or fell over what it was given. */
export class TooMuchForThread extends Error {}

export interface ThreadWork<Word, Answer> {
  /** What the program gets: the bytes are moved into the thread, not copied, and are gone from here. */
  data: { bytes: Uint8Array };
  limits: ThreadLimits;
  signal: AbortSignal;
  /** Called with each word that the thread says, until it makes an answer of one. */
  read(word: Word): { answer: Answer } | undefined;
}

/** Lets a program work in a thread of its own, and ends it when there is an answer, or the limits are reached. */
export async function askThread<Word, Answer>(
  program: URL,
  { data, limits, signal, read }: ThreadWork<Word, Answer>,
): Promise<Answer> {
  signal.throwIfAborted();
  const bytes = movable(data.bytes);
  const worker = new Worker(program, {
    workerData: { ...data, bytes },
    transferList: [bytes.buffer],
    env: threadEnvironment(),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 64 },
  });
  // An error that comes after nobody waits any more would end the process.
  worker.on('error', () => undefined);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.timeMs)]);
  try {
    for await (const [word] of on(worker, 'message', { signal: deadline, close: ['exit'] })) {
      const found = read(word as Word);
      if (found) return found.answer;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted && !isOverfull(error)) throw error;
  } finally {
    await worker.terminate();
  }
  throw new TooMuchForThread('The thread took too long or too much memory.');
}

/** Bytes with memory of their own; small ones share theirs with others. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

function isOverfull(error: unknown): boolean {
  return error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
