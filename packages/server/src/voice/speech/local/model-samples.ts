import { createResampling, type Resampler } from '../../audio/resample.ts';

/** Audio as a line carries it. */
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
    const parts = [resampler.push(samples), resampler.end()];
    const converted = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
    let position = 0;
    for (const part of parts) {
      for (const sample of part) {
        converted[position] = sample / 32_768;
        position += 1;
      }
    }
    return converted;
  };
}
