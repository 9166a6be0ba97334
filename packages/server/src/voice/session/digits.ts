/** Collects keys that are pressed one after another. `#` ends them. */
export interface Digits {
  push(digit: string): void;
  /** Whether some were pressed and not reported. */
  readonly isCollecting: boolean;
  /** Ends it, and returns what was pressed and not reported. */
  close(): string;
}

const pauseMs = 1_500;
const maxDigits = 40;

export function createDigits(onPressed: (digits: string) => void): Digits {
  let pressed = '';
  let timer: NodeJS.Timeout | undefined;

  function finish(): void {
    clearTimeout(timer);
    const digits = pressed;
    pressed = '';
    if (digits !== '') onPressed(digits);
  }

  return {
    push(digit) {
      if (digit === '#' && pressed !== '') return finish();
      pressed += digit;
      if (pressed.length >= maxDigits) return finish();
      clearTimeout(timer);
      timer = setTimeout(finish, pauseMs);
    },
    get isCollecting() {
      return pressed !== '';
    },
    close() {
      clearTimeout(timer);
      const digits = pressed;
      pressed = '';
      return digits;
    },
  };
}
