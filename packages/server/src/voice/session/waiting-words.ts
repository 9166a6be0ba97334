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

  function dropFiller(): void {
    clearTimeout(filler);
    filler = undefined;
  }

  function stop(): void {
    dropFiller();
    clearInterval(checking);
  }

  return {
    toolStarted(tool) {
      if (!spokenAbout(tool).during) return;
      filler ??= setTimeout(() => {
        if (!isSpeaking()) say(phrases.oneMoment);
      }, fillerAfterMs);
    },
    toolCompleted(tool) {
      dropFiller();
      if (spokenAbout(tool).after) say(phrases.thanksForWaiting);
    },
    paused() {
      say(phrases.beingChecked);
      checking = setInterval(() => say(phrases.stillChecking), checkingEveryMs);
    },
    resumed: () => clearInterval(checking),
    repliesNow: dropFiller,
    stop,
  };
}
