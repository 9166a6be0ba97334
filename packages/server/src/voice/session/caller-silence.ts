/** Notices that a caller says nothing. */
export interface CallerSilence {
  /** The caller is expected to say something now. */
  expect(): void;
  readonly isExpecting: boolean;
  /** There is a sound, which may become words. */
  sound(): void;
  /** Somebody says something. */
  cancel(): void;
  /** The caller has said something: the next silence is the first again. */
  reset(): void;
}

export interface CallerSilenceOptions {
  /** Nobody says anything and nothing is going on, apart from noise. */
  isQuiet(): boolean;
  /** There is a sound that may be speech, or was one that is not understood yet. */
  isSounding(): boolean;
  onFirst(): void;
  onSecond(): void;
  /** Milliseconds. */
  now(): number;
}

const silenceMs = 10_000;
/** Sounds without words delay it, but a noisy line must not stay open for ever. */
const maxNoiseMs = 30_000;

export function createCallerSilence(options: CallerSilenceOptions): CallerSilence {
  const { isQuiet, isSounding, onFirst, onSecond, now } = options;
  let timer: NodeJS.Timeout | undefined;
  let since: number | undefined;
  let count = 0;

  function arm(): void {
    clearTimeout(timer);
    if (since === undefined) return;
    const dueAt = Math.min(now() + silenceMs, since + maxNoiseMs);
    timer = setTimeout(look, Math.max(0, dueAt - now()));
  }

  function look(): void {
    if (since !== undefined && isSounding() && now() < since + maxNoiseMs) return arm();
    since = undefined;
    if (!isQuiet()) return;
    count += 1;
    if (count > 1) onSecond();
    else onFirst();
  }

  function cancel(): void {
    clearTimeout(timer);
    since = undefined;
  }

  return {
    expect() {
      since = now();
      arm();
    },
    get isExpecting() {
      return since !== undefined;
    },
    sound: arm,
    cancel,
    reset() {
      cancel();
      count = 0;
    },
  };
}
