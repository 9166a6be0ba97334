import { expect, it } from 'vitest';
import { modelRate, modelSamples } from './model-samples.ts';

const tone = (sampleRate: number) =>
  Int16Array.from(
    { length: sampleRate },
    (_value, index) => 16_384 * Math.sin((2 * Math.PI * 500 * index) / sampleRate),
  );

it.each([8_000, 16_000])('converts a recording of %s samples per second for the model', (sampleRate) => {
  const converted = modelSamples({ sampleRate, samples: tone(sampleRate) });
  expect(converted).toHaveLength(modelRate);
  const expected = tone(modelRate);
  const errors = converted.map((sample, index) => Math.abs(sample - (expected[index] ?? 0) / 32_768));
  // Without the edges, where the filter reaches into the silence outside.
  expect(Math.max(...errors.slice(100, -100))).toBeLessThan(0.005);
});
