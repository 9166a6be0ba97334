import { ModelError, type ModelIdentity, replyBroken } from '../model-error.ts';
import type { ProviderObserver } from '../providers/provider-observer.ts';
import { type RetryPolicy, retryDelay } from '../retry.ts';
import { estimateTokens } from '../token-estimate.ts';
import type { Embedder, EmbeddingPurpose, Embeddings } from './embedder.ts';
import type { EmbeddedBatch, EmbeddingSource } from './embedding-source.ts';

export interface EmbedderOptions {
  identity: ModelIdentity;
  dimensions: number | undefined;
  maxCharacters: number;
  batchSize: number;
  /** Failed attempts cost nothing, and are not counted. */
  isFree: boolean;
  attempt: EmbeddingSource['embed'];
  retry: RetryPolicy;
  limits: EmbeddingLimits;
  observer: ProviderObserver;
}

export interface EmbeddingLimits {
  documentMs: number;
  /** A user waits for the search, which also works without vectors. */
  queryMs: number;
}

export const defaultEmbeddingLimits: EmbeddingLimits = { documentMs: 60_000, queryMs: 5_000 };

const queryPatience = { attempts: 2, maxDelayMs: 1_000 };

/** A provider's single request, with batches, retries and time limits. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const { identity, maxCharacters, batchSize } = options;
  let { dimensions } = options;

  function checked(vectors: readonly ArrayLike<number>[], count: number): Float32Array[] {
    if (vectors.length !== count) throw replyBroken(identity, 'has not one vector for each text');
    const expected = dimensions ?? vectors[0]?.length;
    const units = vectors.map((vector) => {
      const unit = toUnitLength(vector);
      if (!unit) throw replyBroken(identity, 'has a vector without a direction');
      if (vector.length !== expected) throw replyBroken(identity, 'has vectors of another size');
      return unit;
    });
    // Taken from a usable reply only.
    dimensions = expected;
    return units;
  }

  return {
    id: `${identity.provider}/${identity.modelName}`,
    get dimensions() {
      return dimensions;
    },
    maxCharacters,
    async embed(texts, purpose, signal, onSpent = () => undefined) {
      const whole: Embeddings = { vectors: [], inputTokens: 0 };
      for (let start = 0; start < texts.length; start += batchSize) {
        const batch = texts.slice(start, start + batchSize).map((text) => readable(text, maxCharacters));
        const { vectors, inputTokens } = await tryAgain(batch, purpose, signal, onSpent, options);
        whole.vectors.push(...checked(vectors, batch.length));
        whole.inputTokens += inputTokens;
      }
      return whole;
    },
  };
}

async function tryAgain(
  texts: readonly string[],
  purpose: EmbeddingPurpose,
  signal: AbortSignal,
  onSpent: (inputTokens: number) => void,
  { attempt, limits, retry, identity, isFree, observer }: EmbedderOptions,
): Promise<EmbeddedBatch> {
  const isQuery = purpose === 'query';
  const policy = isQuery ? { ...retry, ...queryPatience } : retry;
  const spend = (inputTokens: number) => {
    const modelId = `${identity.provider}/${identity.modelName}`;
    observer.used(modelId, 'embedding', { inputTokens, cachedInputTokens: 0, outputTokens: 0 });
    onSpent(inputTokens);
  };
  for (let attemptsMade = 1; ; attemptsMade += 1) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    const deadline = AbortSignal.timeout(isQuery ? limits.queryMs : limits.documentMs);
    try {
      const answer = await attempt(texts, purpose, AbortSignal.any([signal, deadline]));
      observer.succeeded(identity.provider, 'embedding', performance.now() - startedAt);
      spend(answer.inputTokens);
      return answer;
    } catch (error) {
      if (!isFree && isCounted(error)) spend(estimateTokens(texts.join(' ')));
      signal.throwIfAborted();
      const failure = deadline.aborted ? tooSlow(identity, isQuery) : describe(error);
      observer.failed(identity.provider, failure);
      const wait = retryDelay(failure, attemptsMade, policy);
      if (wait === undefined) throw failure;
      await retry.sleep(wait, signal);
    }
  }
}

/** A provider that read the texts counts them, even if no vectors arrived. */
function isCounted(error: unknown): boolean {
  return !(error instanceof ModelError && error.isUncounted);
}

function tooSlow({ provider }: ModelIdentity, isQuery: boolean): ModelError {
  return new ModelError('MODEL_UNAVAILABLE', {
    message: `The model provider ${provider} did not embed in time.`,
    // The caller of a query has waited long enough.
    worthRetrying: !isQuery,
  });
}

/** The usual message of this code is about conversations. */
function describe(error: unknown): unknown {
  if (!(error instanceof ModelError) || error.code !== 'CONTEXT_TOO_LONG') return error;
  return new ModelError('CONTEXT_TOO_LONG', {
    message: 'A passage is longer than the embedding model reads.',
    ...(error.cause instanceof Error && { cause: error.cause }),
  });
}

/** Providers refuse empty texts and half characters. */
function readable(text: string, maxCharacters: number): string {
  const read = text.slice(0, maxCharacters).toWellFormed();
  return read.trim() === '' ? '-' : read;
}

/** Undefined for zero vectors and for values that are not numbers. */
function toUnitLength(vector: ArrayLike<number>): Float32Array | undefined {
  const unit = Float32Array.from(vector);
  let squares = 0;
  for (const value of unit) squares += value * value;
  const length = Math.sqrt(squares);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  return unit.map((value) => value / length);
}
