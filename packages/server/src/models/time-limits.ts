import { ModelError } from './model-error.ts';
import type { AttemptWatch } from './reply-attempt.ts';

export interface TimeLimits {
  firstTokenMs: number;
  betweenTokensMs: number;
}

export const defaultTimeLimits: TimeLimits = { firstTokenMs: 60_000, betweenTokensMs: 60_000 };

export interface TokenWatch extends AttemptWatch {
  /** How much the model has produced so far. */
  readonly bytes: number;
  /** Ends the watch; `abort` also ends the request it watched. */
  stop(abort: boolean): void;
}

/** Aborts a request that stays silent for too long, or whose caller aborts. */
export function watchTokens(limits: TimeLimits, caller: AbortSignal): TokenWatch {
  const controller = new AbortController();
  const followCaller = () => controller.abort(caller.reason);
  let seenToken = false;
  let bytes = 0;

  const onSilence = () => {
    const [limit, what] = seenToken
      ? [limits.betweenTokensMs, 'stopped in the middle of its reply for']
      : [limits.firstTokenMs, 'did not begin to reply within'];
    controller.abort(
      new ModelError('MODEL_UNAVAILABLE', { message: `The model ${what} ${limit / 1000} seconds.` }),
    );
  };

  let timer = setTimeout(onSilence, limits.firstTokenMs);
  if (caller.aborted) followCaller();
  else caller.addEventListener('abort', followCaller, { once: true });

  return {
    signal: controller.signal,
    get bytes() {
      return bytes;
    },
    onToken(size) {
      bytes += size;
      if (seenToken) {
        timer.refresh();
        return;
      }
      seenToken = true;
      clearTimeout(timer);
      timer = setTimeout(onSilence, limits.betweenTokensMs);
    },
    stop(abort) {
      clearTimeout(timer);
      caller.removeEventListener('abort', followCaller);
      if (abort) controller.abort();
    },
  };
}
