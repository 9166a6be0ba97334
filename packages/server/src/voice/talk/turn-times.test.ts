import { expect, it } from 'vitest';
import { timesOf } from './turn-times.ts';

const heard = { text: 'Hello', speechEndedAt: 1_000, textAt: 1_250, decidedAt: 1_600 };

it('divides the time from the end of the speech to the first sound of the answer', () => {
  const answer = { heard, firstTextAt: 2_000, firstSpeechAt: 2_090, isInterrupted: false, isOver: true };
  const times = { textMs: 250, endOfTurnMs: 350, modelMs: 400, speechMs: 90, interrupted: false };
  expect(timesOf(answer)).toEqual(times);
});

it('leaves out what did not happen', () => {
  const answer = { heard, isInterrupted: true, isOver: true };
  expect(timesOf(answer)).toMatchObject({ modelMs: null, speechMs: null, interrupted: true });
});
