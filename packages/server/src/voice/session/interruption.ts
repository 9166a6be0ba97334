/** Somebody begins to speak while the bot does: that may be an interruption. */
export interface Interruption {
  readonly isOpen: boolean;
  begin(): void;
  end(): void;
}

/** No words within this time: what sounded like an interruption was none. */
const wordsWithinMs = 2_000;

export function createInterruption(onNone: () => void): Interruption {
  let timer: NodeJS.Timeout | undefined;
  return {
    get isOpen() {
      return timer !== undefined;
    },
    begin() {
      timer ??= setTimeout(onNone, wordsWithinMs);
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
