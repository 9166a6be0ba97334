import { expect, it } from 'vitest';
import { describeLatency, percentile, totalOf } from './latency.ts';

const turn = {
  turn_id: 't',
  end_of_turn_ms: 300,
  text_ms: 120,
  model_ms: null,
  speech_ms: 90,
  interrupted: false,
  rating: null,
};

it('adds up what is known of a turn', () => {
  expect(totalOf(turn)).toBe(510);
  expect(totalOf({ ...turn, end_of_turn_ms: null, text_ms: null, speech_ms: null })).toBeUndefined();
  expect(describeLatency(turn)).toBe('end of turn 300 ms, text 120 ms, speech 90 ms');
});

it('finds the percentiles of a call', () => {
  const totals = [900, 100, 500, 700, 300];
  expect([percentile(totals, 0.5), percentile(totals, 0.95)]).toEqual([500, 900]);
  expect(percentile([], 0.5)).toBeUndefined();
  expect(percentile([42], 0.95)).toBe(42);
});
