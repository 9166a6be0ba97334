import { AppError } from '../lib/app-error.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import { askThread, TooMuchForThread } from './ask-thread.ts';
import type { BodyMessage, LongText } from './long-body.ts';

export interface ReadBody {
  body: unknown;
  documentation: Omit<LongText, 'done'> | undefined;
}

export type LongBodyReader = (
  workspaceId: string,
  bytes: Uint8Array,
  /** Aborting it while other bodies are read first throws RATE_LIMITED. */
  signal: AbortSignal,
) => Promise<ReadBody>;

const limits = { timeMs: 20_000, memoryMb: 512 };

/** Reads bodies in a thread, because parsing 32 MB would block all other requests. */
export function createLongBodyReader(): LongBodyReader {
  const program = new URL('./long-body-worker.ts', import.meta.url);
  const queue = createFairQueue({ concurrency: 2, perGroup: 1 });
  return async (workspaceId, bytes, signal) => {
    try {
      return await queue.run(workspaceId, signal, () =>
        askThread(program, { data: { bytes }, limits, signal, read: readMessage }),
      );
    } catch (error) {
      if (signal.aborted) throw tooBusy(error);
      if (!(error instanceof TooMuchForThread)) throw error;
      const message = 'The body takes too long or too much memory to read.';
      throw new AppError('VALIDATION_FAILED', { message, cause: error });
    }
  };
}

/** The time was spent waiting for other bodies. */
function tooBusy(cause: unknown): AppError {
  const message = 'Too many long documents are being read. Try again in a moment.';
  return new AppError('RATE_LIMITED', { message, retryAfterSeconds: 5, cause });
}

function readMessage(message: BodyMessage): { answer: ReadBody } {
  if (message.kind === 'refused') throw new AppError('VALIDATION_FAILED', message);
  const { body, documentation: found } = message;
  const documentation = found && {
    sha256: found.sha256,
    size: found.bytes.length,
    bytes: () => found.bytes,
  };
  return { answer: { body, documentation } };
}
