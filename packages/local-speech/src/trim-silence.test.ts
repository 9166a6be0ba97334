import { expect, it } from 'vitest';
import { trimSilence } from './trim-silence.ts';

it('keeps a little silence around what is heard', () => {
  const samples = new Int16Array(10_000);
  samples.fill(5_000, 4_000, 5_000);
  const trimmed = trimSilence(samples, 8_000);
  expect(trimmed).toHaveLength(160 + 1_000 + 1_200);
  expect(trimmed.indexOf(5_000)).toBe(160);
  expect(trimSilence(samples.subarray(4_000, 5_000), 8_000)).toHaveLength(1_000);
  expect(trimSilence(new Int16Array(800).fill(100), 8_000)).toHaveLength(0);
});
