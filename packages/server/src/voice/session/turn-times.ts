import type { HeardTurn } from './hearing.ts';
import type { TurnTimes } from './talk-ports.ts';

interface Times extends HeardTurn {
  firstTextAt?: number;
  firstSpeechAt?: number;
  interrupted: boolean;
}

/** How long the parts of each answer take. */
export function createTurnTimes(now: () => number) {
  const open = new Map<string, Times>();
  return {
    begin(turnId: string, heard: HeardTurn): void {
      open.set(turnId, { ...heard, interrupted: false });
    },
    /** A piece of the reply can be spoken. */
    noteText(turnId: string): void {
      const times = open.get(turnId);
      if (times) times.firstTextAt ??= now();
    },
    /** The reply begins to be heard. */
    noteSpeech(turnId: string | undefined): void {
      const times = open.get(turnId ?? '');
      if (times) times.firstSpeechAt ??= now();
    },
    noteInterrupted(turnId: string | undefined): void {
      const times = open.get(turnId ?? '');
      if (times) times.interrupted = true;
    },
    take(turnId: string): TurnTimes {
      const times = open.get(turnId);
      open.delete(turnId);
      if (!times)
        return { endOfTurnMs: null, textMs: null, modelMs: null, speechMs: null, interrupted: false };
      const { speechEndedAt, textAt, decidedAt, firstTextAt, firstSpeechAt, interrupted } = times;
      return {
        textMs: Math.round(textAt - speechEndedAt),
        endOfTurnMs: Math.round(decidedAt - textAt),
        modelMs: firstTextAt === undefined ? null : Math.round(firstTextAt - decidedAt),
        speechMs:
          firstTextAt === undefined || firstSpeechAt === undefined
            ? null
            : Math.round(firstSpeechAt - firstTextAt),
        interrupted,
      };
    },
  };
}
