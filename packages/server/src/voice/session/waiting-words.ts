import type { Phrases } from './phrases.ts';
import type { CalledTool, TalkPorts } from './talk-ports.ts';

/** What is said while the caller has to wait. */
export interface WaitingWords {
  toolStarted(tool: CalledTool): void;
  toolCompleted(tool: CalledTool): void;
  /** A person has to approve something. */
  paused(): void;
  /** The caller has said something meanwhile. */
  asked(): void;
  resumed(): void;
  /** The bot says something itself. */
  repliesNow(): void;
  stop(): void;
}

export interface WaitingWordsOptions {
  phrases: Phrases;
  spokenAbout: TalkPorts['spokenAbout'];
  isBotSpeaking(): boolean;
  isCallerSpeaking(): boolean;
  say(phrase: string): void;
}

/** A tool that is quicker needs no words. */
const fillerAfterMs = 600;
const checkingEveryMs = 20_000;
const lookEveryMs = 500;
/** A noisy line sounds like somebody who does not stop speaking. */
const maxDelayMs = 10_000;

export function createWaitingWords(options: WaitingWordsOptions): WaitingWords {
  const { phrases, spokenAbout, isBotSpeaking, isCallerSpeaking, say } = options;
  const isSpeaking = () => isBotSpeaking() || isCallerSpeaking();
  let filler: NodeJS.Timeout | undefined;
  let checking: NodeJS.Timeout | undefined;
  let isPhraseDue = false;
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

  function sayWhenQuiet(delayMs = 0): void {
    if (isCallerSpeaking() && delayMs < maxDelayMs) {
      checking = setTimeout(() => sayWhenQuiet(delayMs + lookEveryMs), lookEveryMs);
      return;
    }
    sayBeingChecked();
  }

  function sayBeingChecked(): void {
    stopChecking();
    say(phrases.beingChecked);
    checking = setInterval(() => {
      if (!isSpeaking()) say(phrases.stillChecking);
    }, checkingEveryMs);
  }

  function stopChecking(): void {
    clearTimeout(checking);
    isPhraseDue = false;
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
      if (spokenAbout(tool).after && !isCallerSpeaking()) say(phrases.thanksForWaiting);
    },
    paused() {
      stopChecking();
      isPhraseDue = true;
      sayWhenQuiet();
    },
    asked() {
      if (isPhraseDue) sayBeingChecked();
      else say(phrases.stillChecking);
    },
    resumed: stopChecking,
    repliesNow: dropFiller,
    stop() {
      running = 0;
      dropFiller();
      stopChecking();
    },
  };
}
