import type { Model, ModelCapabilities, ModelPart, ModelRequest, OnPart } from './model.ts';
import { ModelError } from './model-error.ts';
import type { ReplyAttempt } from './reply-attempt.ts';
import { type RetryPolicy, retryDelay } from './retry.ts';
import { type TimeLimits, watchTokens } from './time-limits.ts';
import { estimateUsage } from './token-estimate.ts';
import type { ModelWindow } from './windows.ts';

export interface ModelOptions {
  id: string;
  window: ModelWindow;
  capabilities: ModelCapabilities;
  attempt: ReplyAttempt;
  /** Failed attempts cost nothing, and are not reported as lost. */
  isFree: boolean;
  limits: TimeLimits;
  retry: RetryPolicy;
}

/** A provider's single attempt, with retries and time limits. */
export function createModel(options: ModelOptions): Model {
  return {
    id: options.id,
    contextWindow: options.window.contextWindow,
    maxOutputTokens: options.window.maxOutputTokens,
    capabilities: options.capabilities,
    reply: (request, onPart, signal) => giveReply(request, onPart, signal, options),
  };
}

async function giveReply(
  request: ModelRequest,
  onPart: OnPart,
  signal: AbortSignal,
  { attempt, isFree, limits, retry }: ModelOptions,
): Promise<void> {
  for (let attemptsMade = 1; ; attemptsMade += 1) {
    signal.throwIfAborted();
    const watch = watchTokens(limits, signal);
    let started = false;
    let finished = false;
    let failure: unknown;
    let isCounted = true;
    /** What the listener threw: it is not the model's fault, however the attempt reports it. */
    let refusal: { reason: unknown } | undefined;
    const pass = (part: ModelPart) => {
      started = true;
      finished = part.type === 'finish';
      try {
        onPart(part);
      } catch (reason) {
        refusal = { reason };
        throw reason;
      }
      if (!finished) watch.signal.throwIfAborted();
    };
    try {
      await attempt(request, pass, watch);
      if (!refusal) return;
      failure = refusal.reason;
    } catch (error) {
      isCounted = !(error instanceof ModelError && error.isUncounted) || watch.bytes > 0;
      failure = refusal?.reason ?? (watch.signal.aborted ? watch.signal.reason : error);
    } finally {
      watch.stop(!finished);
    }
    // Once text was passed on, another attempt would repeat it.
    const wait = started || signal.aborted ? undefined : retryDelay(failure, attemptsMade, retry);
    if (isCounted && !isFree && !finished) {
      const usage = estimateUsage(request, { bytes: watch.bytes });
      onPart({ type: 'lost', usage, isRepeated: wait !== undefined });
    }
    if (wait === undefined) throw failure;
    await retry.sleep(wait, signal);
  }
}
