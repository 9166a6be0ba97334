/** Notices that a caller says nothing. */
export interface CallerSilence {
  /** The caller is expected to say something now. */
  expect(): void;
  /** Somebody says something. */
  cancel(): void;
  /** The caller has said something: the next silence is the first again. */
  reset(): void;
}

export interface CallerSilenceOptions {
  /** Nobody says anything and nothing is going on. */
  isQuiet(): boolean;
  onFirst(): void;
  onSecond(): void;
}

const silenceMs = 10_000;

export function createCallerSilence({ isQuiet, onFirst, onSecond }: CallerSilenceOptions): CallerSilence {
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  return {
    expect() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!isQuiet()) return;
        count += 1;
        if (count > 1) onSecond();
        else onFirst();
      }, silenceMs);
    },
    cancel: () => clearTimeout(timer),
    reset() {
      clearTimeout(timer);
      count = 0;
    },
  };
}
