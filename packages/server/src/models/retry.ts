import { setTimeout as delay } from 'node:timers/promises';
import { ModelError } from './model-error.ts';

export interface RetryPolicy {
  /** Including the first one. */
  attempts: number;
  baseDelayMs: number;
  /** The longest wait. When a provider wants more, the error goes to the caller immediately. */
  maxDelayMs: number;
  /** Between 0 and 1. */
  random(): number;
  /** Throws the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 3,
  baseDelayMs: 500,
  maxDelayMs: 20_000,
  random: Math.random,
  sleep,
};

/** How long to wait before the next attempt; undefined when there should be none. */
export function retryDelay(error: unknown, attemptsMade: number, policy: RetryPolicy): number | undefined {
  if (!(error instanceof ModelError) || !error.worthRetrying) return undefined;
  if (attemptsMade >= policy.attempts) return undefined;
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs > policy.maxDelayMs ? undefined : error.retryAfterMs;
  }
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attemptsMade - 1));
  // Half fixed, half random: clients that failed together do not retry together, and none retries immediately.
  return ceiling / 2 + (ceiling / 2) * policy.random();
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
