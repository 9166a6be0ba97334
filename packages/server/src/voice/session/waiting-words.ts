import type { Phrases } from './phrases.ts';
import type { CalledTool, TalkPorts } from './talk-ports.ts';

/** What is said while the caller has to wait. */
export interface WaitingWords {
  toolStarted(tool: CalledTool): void;
  toolCompleted(tool: CalledTool): void;
  /** A person has to approve something. */
  paused(): void;
  resumed(): void;
  /** The bot says something itself. */
  repliesNow(): void;
  stop(): void;
}

export interface WaitingWordsOptions {
  phrases: Phrases;
  spokenAbout: TalkPorts['spokenAbout'];
  /** The bot or the caller says something. */
  isSpeaking(): boolean;
  say(phrase: string): void;
}

/** A tool that is quicker needs no words. */
const fillerAfterMs = 600;
const checkingEveryMs = 20_000;

export function createWaitingWords(options: WaitingWordsOptions): WaitingWords {
  const { phrases, spokenAbout, isSpeaking, say } = options;
  let filler: NodeJS.Timeout | undefined;
  let checking: NodeJS.Timeout | undefined;
  /** Several tools may run at the same time. */
  let running = 0;

  function dropFiller(): void {
    clearTimeout(filler);
    filler = undefined;
  }

  function fill(): void {
    if (isSpeaking()) filler = setTimeout(fill, fillerAfterMs);
    else say(phrases.oneMoment);
  }

  function stop(): void {
    running = 0;
    dropFiller();
    clearInterval(checking);
  }

  return {
    toolStarted(tool) {
      running += 1;
      if (!spokenAbout(tool).during) return;
      filler ??= setTimeout(fill, fillerAfterMs);
    },
    toolCompleted(tool) {
      running -= 1;
      if (running > 0) return;
      dropFiller();
      if (spokenAbout(tool).after) say(phrases.thanksForWaiting);
    },
    paused() {
      clearInterval(checking);
      say(phrases.beingChecked);
      checking = setInterval(() => {
        if (!isSpeaking()) say(phrases.stillChecking);
      }, checkingEveryMs);
    },
    resumed: () => clearInterval(checking),
    repliesNow: dropFiller,
    stop,
  };
}
