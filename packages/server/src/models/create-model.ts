import type { Model, ModelPart, ModelRequest } from './model.ts';
import type { ReplyAttempt } from './provider.ts';
import { type RetryPolicy, retryDelay } from './retry.ts';
import { type TimeLimits, watchTokens } from './time-limits.ts';
import type { ModelWindow } from './windows.ts';

export interface ModelOptions {
  id: string;
  window: ModelWindow;
  attempt: ReplyAttempt;
  limits: TimeLimits;
  retry: RetryPolicy;
}

/** A provider's single attempt, made patient (it tries again) and impatient (it has time limits). */
export function createModel(options: ModelOptions): Model {
  return {
    id: options.id,
    contextWindow: options.window.contextWindow,
    maxOutputTokens: options.window.maxOutputTokens,
    stream: (request, signal) => streamReply(request, signal, options),
  };
}

async function* streamReply(
  request: ModelRequest,
  signal: AbortSignal,
  { attempt, limits, retry }: ModelOptions,
): AsyncGenerator<ModelPart, void, undefined> {
  for (let attemptsMade = 1; ; attemptsMade += 1) {
    signal.throwIfAborted();
    const watch = watchTokens(limits, signal);
    let started = false;
    let finished = false;
    let failure: unknown;
    try {
      for await (const part of attempt(request, watch)) {
        watch.waitForReader();
        started = true;
        finished = part.type === 'finish';
        yield part;
        if (!finished) watch.signal.throwIfAborted();
        watch.waitForModel();
      }
      return;
    } catch (error) {
      failure = watch.signal.aborted ? watch.signal.reason : error;
    } finally {
      watch.stop(!finished);
    }
    // Something was already said: a second try would say it twice.
    const wait = started ? undefined : retryDelay(failure, attemptsMade, retry);
    if (wait === undefined || signal.aborted) throw failure;
    await retry.sleep(wait, signal);
  }
}
