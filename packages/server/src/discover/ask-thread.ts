import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../lib/thread-environment.ts';

export interface ThreadLimits {
  timeMs: number;
  memoryMb: number;
}

/** The thread exceeded its time or memory, or exited without an answer. */
export class TooMuchForThread extends Error {}

export interface ThreadWork<Message, Answer> {
  /** The worker's data; the bytes are transferred, so they are no longer usable here. */
  data: { bytes: Uint8Array };
  limits: ThreadLimits;
  signal: AbortSignal;
  /** Called with each message of the thread until it returns an answer. */
  read(message: Message): { answer: Answer } | undefined;
}

/** Runs a program in its own thread until it answers or reaches its limits. */
export async function askThread<Message, Answer>(
  program: URL,
  { data, limits, signal, read }: ThreadWork<Message, Answer>,
): Promise<Answer> {
  signal.throwIfAborted();
  const bytes = transferable(data.bytes);
  const worker = new Worker(program, {
    workerData: { ...data, bytes },
    transferList: [bytes.buffer],
    env: threadEnvironment(),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 64 },
  });
  // An unhandled late error would end the process.
  worker.on('error', () => undefined);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.timeMs)]);
  try {
    for await (const [message] of on(worker, 'message', { signal: deadline, close: ['exit'] })) {
      const found = read(message as Message);
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

/** Small buffers share a pool, which cannot be transferred, so they are copied. */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

function isOverfull(error: unknown): boolean {
  return error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
