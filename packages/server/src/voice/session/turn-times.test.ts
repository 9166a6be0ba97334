import { expect, it } from 'vitest';
import { createTurnTimes } from './turn-times.ts';

it('divides the time from the end of the speech to the first sound of the answer', () => {
  let now = 2_000;
  const times = createTurnTimes(() => now);
  times.begin('turn', { text: 'Hello', speechEndedAt: 1_000, textAt: 1_250, decidedAt: 1_600 });
  times.noteText('turn');
  now = 2_090;
  // Only the first of each counts.
  times.noteText('turn');
  times.noteSpeech('turn');
  now = 3_000;
  times.noteSpeech('turn');
  times.noteSpeech(undefined);
  const taken = { textMs: 250, endOfTurnMs: 350, modelMs: 400, speechMs: 90, interrupted: false };
  expect(times.take('turn')).toEqual(taken);
  expect(times.take('turn').textMs).toBeNull();
});

it('leaves out what did not happen', () => {
  const times = createTurnTimes(() => 0);
  times.begin('turn', { text: 'Hello', speechEndedAt: 0, textAt: 0, decidedAt: 0 });
  times.noteInterrupted('turn');
  expect(times.take('turn')).toMatchObject({ modelMs: null, speechMs: null, interrupted: true });
});
