import { createResampling, joinSamples, type Resampler } from './resample.ts';

/** Audio at the sample rate of its line. */
export interface Recording {
  sampleRate: number;
  samples: Int16Array;
}

export const modelRate = 16_000;

/** Converts recordings into what the model listens to. The filters of a conversion are computed once. */
export function createModelSamples(): (recording: Recording) => Float32Array {
  const conversions = new Map<number, () => Resampler>();
  return ({ sampleRate, samples }) => {
    const begin = conversions.get(sampleRate) ?? createResampling(sampleRate, modelRate);
    conversions.set(sampleRate, begin);
    const resampler = begin();
    const converted = joinSamples([resampler.push(samples), resampler.end()]);
    return Float32Array.from(converted, (sample) => sample / 32_768);
  };
}
