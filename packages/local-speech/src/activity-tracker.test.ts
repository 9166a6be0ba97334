import { expect, it } from 'vitest';
import { createActivityTracker } from './activity-tracker.ts';

function follow(probabilities: number[]) {
  const track = createActivityTracker();
  return probabilities.map(track);
}

it('counts speech up to its last sound and silence since', () => {
  const last = (probabilities: number[]) => follow(probabilities).at(-1);
  expect(last([0, 0])).toEqual({ isSpeech: false, speechMs: 0, silenceMs: 64, untilMs: 64 });
  expect(last([0, 0.9, 0.4])).toEqual({ isSpeech: true, speechMs: 64, silenceMs: 0, untilMs: 96 });
  expect(last([0, 0.9, 0.4, 0.1])).toEqual({ isSpeech: true, speechMs: 64, silenceMs: 32, untilMs: 128 });
});

it('bridges short pauses, and needs more to begin than to continue', () => {
  expect(follow([0.4, 0.6, 0, 0, 0.4, 0, 0, 0, 0.4]).map(({ isSpeech }) => isSpeech)).toEqual([
    false,
    true,
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});
