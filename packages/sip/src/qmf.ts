/** The filter of G.722 that divides sound of 16,000 samples per second into two bands of 8,000 each, and joins them again. */

const half = Int32Array.of(3, -11, 12, 32, -210, 951, 3_876, -805, 362, -156, 53, -11);
const reversed = half.toReversed();
/** How many numbers before a pair the filter reaches back to. */
const reach = (half.length - 1) * 2;

/** Both bands have half the amplitude of the sound, as whole numbers of 15 bits. */
export interface Bands {
  low: Int32Array;
  high: Int32Array;
}

/** Puts what was there before in front of the next numbers. */
function createHistory(): (length: number) => Int32Array {
  let last = new Int32Array(reach);
  return (length) => {
    const next = new Int32Array(reach + length);
    next.set(last.subarray(last.length - reach));
    last = next;
    return next;
  };
}

/** The weighted sum of every second number from `start` on. */
function filter(numbers: Int32Array, start: number, weights: Int32Array): number {
  let sum = 0;
  for (let tap = 0; tap < weights.length; tap += 1)
    sum += (numbers[start + 2 * tap] ?? 0) * (weights[tap] ?? 0);
  return sum;
}

/** Takes an even number of samples at a time. */
export function createBandSplitter(): (samples: Int16Array) => Bands {
  const extend = createHistory();
  return (samples) => {
    const numbers = extend(samples.length);
    numbers.set(samples, reach);
    const low = new Int32Array(samples.length / 2);
    const high = new Int32Array(low.length);
    for (let index = 0; index < low.length; index += 1) {
      const odd = filter(numbers, 2 * index, half);
      const even = filter(numbers, 2 * index + 1, reversed);
      low[index] = (even + odd) >> 14;
      high[index] = (even - odd) >> 14;
    }
    return { low, high };
  };
}

export function createBandJoiner(): (bands: Bands) => Int16Array {
  const extend = createHistory();
  return ({ low, high }) => {
    const samples = new Int16Array(low.length * 2);
    const numbers = extend(samples.length);
    for (let index = 0; index < low.length; index += 1) {
      const lower = low[index] ?? 0;
      const upper = high[index] ?? 0;
      numbers[reach + 2 * index] = lower + upper;
      numbers[reach + 2 * index + 1] = lower - upper;
      samples[2 * index] = saturate(filter(numbers, 2 * index + 1, reversed) >> 11);
      samples[2 * index + 1] = saturate(filter(numbers, 2 * index, half) >> 11);
    }
    return samples;
  };
}

/** From 16,000 samples per second to 8,000. */
export function createHalver(): (samples: Int16Array) => Int16Array {
  const split = createBandSplitter();
  return (samples) => Int16Array.from(split(samples).low, (sample) => saturate(sample * 2));
}

/** From 8,000 samples per second to 16,000. */
export function createDoubler(): (samples: Int16Array) => Int16Array {
  const join = createBandJoiner();
  return (samples) =>
    join({ low: Int32Array.from(samples, (sample) => sample >> 1), high: new Int32Array(samples.length) });
}

export function saturate(value: number): number {
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
}
