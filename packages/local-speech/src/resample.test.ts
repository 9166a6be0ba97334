import { describe, expect, it } from 'vitest';
import { createResampler } from './resample.ts';

function tone(frequency: number, rate: number, milliseconds: number, amplitude = 10_000): Int16Array {
  const length = Math.round((rate * milliseconds) / 1_000);
  return Int16Array.from(
    { length },
    (_value, index) => amplitude * Math.sin((2 * Math.PI * frequency * index) / rate),
  );
}

function convert(samples: Int16Array, from: number, to: number, chunk = samples.length): Int16Array {
  const resampler = createResampler(from, to);
  const parts: number[] = [];
  for (let start = 0; start < samples.length; start += chunk) {
    parts.push(...resampler.push(samples.subarray(start, start + chunk)));
  }
  return Int16Array.from([...parts, ...resampler.end()]);
}

/** Without the edges, where the filter reaches into the silence outside. */
function level(samples: Int16Array): number {
  const inside = samples.slice(samples.length / 4, (samples.length * 3) / 4);
  return Math.sqrt(inside.reduce((sum, sample) => sum + sample * sample, 0) / inside.length);
}

describe('resampling', () => {
  it.each([
    [16_000, 8_000],
    [8_000, 16_000],
    [22_050, 8_000],
    [22_050, 16_000],
  ])('from %i to %i Hz keeps the duration and what both can carry', (from, to) => {
    const converted = convert(tone(1_000, from, 200), from, to);
    expect(converted).toHaveLength(to / 5);
    const expected = tone(1_000, to, 200);
    const difference = converted.map((sample, index) => sample - (expected[index] ?? 0));
    expect(level(difference)).toBeLessThan(level(expected) / 500);
  });

  it.each([
    [16_000, 5_000],
    [22_050, 4_500],
    [16_000, 7_500],
  ])('from %i to 8000 Hz removes %i Hz, which would be heard as another tone', (from, frequency) => {
    expect(level(convert(tone(frequency, from, 200), from, 8_000))).toBeLessThan(10);
  });

  it.each([1, 7, 160, 1_000])('does not depend on how it is cut: %i samples each', (chunk) => {
    const samples = tone(700, 22_050, 100);
    expect(convert(samples, 22_050, 8_000, chunk)).toEqual(convert(samples, 22_050, 8_000));
  });

  it('clips instead of wrapping around', () => {
    const square = tone(500, 8_000, 100).map((sample) => (sample > 0 ? 32_767 : -32_768));
    const converted = convert(square, 8_000, 16_000);
    for (let index = 1; index < converted.length; index += 1) {
      expect(Math.abs((converted[index] ?? 0) - (converted[index - 1] ?? 0))).toBeLessThan(60_000);
    }
  });

  it('converts nothing to nothing, and leaves the same rate alone', () => {
    expect(convert(new Int16Array(), 16_000, 8_000)).toHaveLength(0);
    const samples = tone(300, 8_000, 20);
    expect(convert(samples, 8_000, 8_000)).toEqual(samples);
  });
});
