import { createResampler, joinSamples } from './resample.ts';

/** Audio at the sample rate of its line. */
export interface Recording {
  sampleRate: number;
  samples: Int16Array;
}

export const modelRate = 16_000;

/** Converts a recording into what the model listens to. */
export function modelSamples({ sampleRate, samples }: Recording): Float32Array {
  const resampler = createResampler(sampleRate, modelRate);
  const converted = joinSamples([resampler.push(samples), resampler.end()]);
  return Float32Array.from(converted, (sample) => sample / 32_768);
}
