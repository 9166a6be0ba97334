import type { Log } from '../../../log.ts';
import { ModelError } from '../../model-error.ts';
import type { RetryPolicy } from '../../retry.ts';
import { createEmbedder, type EmbeddingLimits } from '../create-embedder.ts';
import type { Embedder } from '../embedder.ts';
import { type EncoderThread, encoderWorker, startEncoderThread } from './encoder-thread.ts';

export interface SentenceEncoderOptions {
  log: Log;
  retry: RetryPolicy;
  limits: EmbeddingLimits;
  /** The memory of the encoder is given back after this long without a text. */
  idleMs?: number;
  mostWaiting?: number;
  /** What runs in the thread. */
  program?: URL;
}

export interface SentenceEncoder {
  embedder: Embedder;
  /** Lets go of the thread; whoever waits is told. A later text would start it again. */
  stop(): Promise<void>;
}

export const sentenceEncoderId = 'builtin/sentence-encoder';

const identity = { provider: 'builtin', modelName: 'sentence-encoder', secrets: [] };
const dimensions = 512;
/** It reads 128 of its tokens, which are about four characters of English each. */
const mostCharacters = 480;
/** A question waits for the batch before it: small ones cost little and keep that short. */
const textsAtOnce = 2;

interface Waiting {
  texts: readonly string[];
  outcome: PromiseWithResolvers<Float32Array[]>;
  signal: AbortSignal;
}

/** Embeddings of English that need no key: a Universal Sentence Encoder that comes with the service. */
export function createSentenceEncoder(options: SentenceEncoderOptions): SentenceEncoder {
  const { log, retry, limits, idleMs = 300_000, mostWaiting = 500, program = encoderWorker } = options;
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
    if (queue.length >= mostWaiting) throw unavailable('The built-in embeddings are busy.');
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
    embedder: createEmbedder({
      identity,
      dimensions,
      mostCharacters,
      textsAtOnce,
      retry,
      limits,
      // It costs nothing: there is nothing to count.
      attempt: async (texts, purpose, signal) => ({
        vectors: await encode(texts, purpose === 'query', signal),
        inputTokens: 0,
      }),
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
