import type { HeardSpeech } from './hearing.ts';

/** How long the parts of an answer took, as it is recorded. */
export interface TurnTimes {
  endOfTurnMs: number | null;
  textMs: number | null;
  modelMs: number | null;
  speechMs: number | null;
  interrupted: boolean;
}

/** When the parts of an answer happened; only the first text and the first sound count. */
export interface Answer {
  heard: HeardSpeech;
  firstTextAt?: number;
  firstSpeechAt?: number;
  isInterrupted: boolean;
  /** Its turn has ended, and what it wrote may still be spoken. */
  isOver: boolean;
}

/** Divides the time from the end of the speech to the first sound of the answer. */
export function timesOf({ heard, firstTextAt, firstSpeechAt, isInterrupted }: Answer): TurnTimes {
  const { speechEndedAt, textAt, decidedAt } = heard;
  const between = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? null : Math.round(to - from);
  return {
    textMs: between(speechEndedAt, textAt),
    endOfTurnMs: between(textAt, decidedAt),
    modelMs: between(decidedAt, firstTextAt),
    speechMs: between(firstTextAt, firstSpeechAt),
    interrupted: isInterrupted,
  };
}
