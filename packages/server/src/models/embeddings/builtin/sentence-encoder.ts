import type { Log } from '../../../lib/log.ts';
import { ModelError } from '../../model-error.ts';
import type { EmbeddingSource } from '../embedding-source.ts';
import { type EncoderThread, encoderWorker, startEncoderThread } from './encoder-thread.ts';

export interface SentenceEncoderOptions {
  log: Log;
  /** The memory of the encoder is freed after this long without a text. */
  idleMs?: number;
  maxWaiting?: number;
  /** What runs in the thread. */
  program?: URL;
}

interface Waiting {
  texts: readonly string[];
  outcome: PromiseWithResolvers<Float32Array[]>;
  signal: AbortSignal;
}

/** Embeddings of English that need no key: a Universal Sentence Encoder that comes with the service. */
export function createSentenceEncoder(options: SentenceEncoderOptions): Required<EmbeddingSource> {
  const { log, idleMs = 300_000, maxWaiting = 500, program = encoderWorker } = options;
  const questions: Waiting[] = [];
  const documents: Waiting[] = [];
  let thread: EncoderThread | undefined;
  let working = false;
  let idle: NodeJS.Timeout | undefined;

  async function work(): Promise<void> {
    working = true;
    clearTimeout(idle);
    for (let next = takeNext(); next; next = takeNext()) {
      try {
        thread = thread?.isAlive() ? thread : startEncoderThread(program);
        next.outcome.resolve(await thread.encode(next.texts));
      } catch (error) {
        log.warn({ err: error }, 'The built-in embeddings failed; the next text starts them again.');
        next.outcome.reject(unavailable('The built-in embeddings failed.', error));
      }
    }
    working = false;
    idle = setTimeout(() => void stop(), idleMs).unref();
  }

  function takeNext(): Waiting | undefined {
    for (;;) {
      const next = questions.shift() ?? documents.shift();
      if (!next?.signal.aborted) return next;
    }
  }

  async function encode(texts: readonly string[], isQuery: boolean, signal: AbortSignal) {
    const queue = isQuery ? questions : documents;
    if (queue.length >= maxWaiting) throw unavailable('The built-in embeddings are busy.');
    const outcome = Promise.withResolvers<Float32Array[]>();
    const giveUp = () => outcome.reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    queue.push({ texts, outcome, signal });
    if (!working) void work();
    try {
      return await outcome.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    for (const { outcome } of [...questions.splice(0), ...documents.splice(0)]) {
      outcome.reject(unavailable('The built-in embeddings were stopped.'));
    }
    const stopped = thread;
    thread = undefined;
    await stopped?.stop();
  }

  return {
    // It costs nothing: there is nothing to count.
    embed: async (texts, purpose, signal) => ({
      vectors: await encode(texts, purpose === 'query', signal),
      inputTokens: 0,
    }),
    stop,
  };
}

function unavailable(message: string, cause?: unknown): ModelError {
  return new ModelError('MODEL_UNAVAILABLE', {
    message,
    worthRetrying: true,
    ...(cause instanceof Error && { cause }),
  });
}
