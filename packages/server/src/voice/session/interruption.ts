import type { Speaking } from './speaking.ts';

/** Somebody begins to speak while the bot does, or is about to: that may be an interruption. The bot waits for words. */
export interface Interruption {
  begin(): void;
  /** It is known what it was. */
  end(): void;
}

export interface InterruptionOptions {
  speaking: Pick<Speaking, 'pause'>;
  /** There are words, which become an answer or are taken back. */
  hasWords(): boolean;
  /** What sounded like an interruption was none. */
  onNone(): void;
}

const wordsWithinMs = 2_000;

export function createInterruption({ speaking, hasWords, onNone }: InterruptionOptions): Interruption {
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    speaking.pause();
    timer ??= setTimeout(look, wordsWithinMs);
  }

  function end(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function look(): void {
    end();
    if (hasWords()) begin();
    else onNone();
  }

  return { begin, end };
}
