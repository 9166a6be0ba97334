export type Resampler = ReturnType<typeof resampler>;

/** How far the filter reaches to each side, in periods of the lower rate. */
const reach = 16;
/** Leaves room for the filter to fall off before the highest frequency that the lower rate can carry. */
const passband = 0.92;
/** Kaiser's parameter: what lies outside the passband is 80 dB quieter. */
const kaiserBeta = 8;

/** Filters that were computed, by the two rates. */
const conversions = new Map<string, Conversion>();

/** Converts one recording or stream from one sample rate to another. */
export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { push: (samples) => samples, end: () => new Int16Array() };
  const key = `${from} ${to}`;
  const conversion = conversions.get(key) ?? conversionOf(from, to);
  conversions.set(key, conversion);
  return resampler(conversion);
}

function conversionOf(from: number, to: number): Conversion {
  const divisor = greatestCommonDivisor(from, to);
  const phases = to / divisor;
  const step = from / divisor;
  const half = Math.ceil(reach * Math.max(1, from / to));
  const filter = Array.from({ length: phases }, (_value, phase) => filterOf(phase / phases, half, from, to));
  return { phases, step, half, filter };
}

interface Conversion {
  phases: number;
  step: number;
  half: number;
  /** The weights of the samples around a position, by its fraction. */
  filter: Float32Array[];
}

function resampler({ phases, step, half, filter }: Conversion) {
  /** What later positions still need; before the beginning there is silence. */
  let kept = new Int16Array(half - 1);
  let keptFrom = 1 - half;
  let produced = 0;

  function convert(samples: Int16Array, count: (available: number) => number): Int16Array {
    const all = new Int16Array(kept.length + samples.length);
    all.set(kept);
    all.set(samples, kept.length);
    const end = count(keptFrom + all.length);
    const converted = new Int16Array(Math.max(0, end - produced));
    for (let index = 0; index < converted.length; index += 1) {
      const position = (produced + index) * step;
      const first = Math.floor(position / phases) - half + 1 - keptFrom;
      const weights = filter[position % phases] ?? [];
      let sum = 0;
      for (let tap = 0; tap < weights.length; tap += 1) sum += (weights[tap] ?? 0) * (all[first + tap] ?? 0);
      converted[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    produced += converted.length;
    const needed = Math.floor((produced * step) / phases) - half + 1;
    kept = all.slice(Math.max(0, needed - keptFrom));
    keptFrom = Math.max(needed, keptFrom);
    return converted;
  }

  return {
    /** The next samples; answers with what can be converted by now. */
    push: (samples: Int16Array): Int16Array =>
      // A position can be converted when everything in the reach of its filter is there.
      convert(samples, (available) => Math.max(0, Math.ceil(((available - half) * phases) / step))),
    /** The rest. Nothing may be pushed afterwards. */
    end: (): Int16Array =>
      convert(new Int16Array(half), (available) => Math.ceil(((available - half) * phases) / step)),
  };
}

/** A low-pass filter around a position that lies this fraction after a sample. */
function filterOf(fraction: number, half: number, from: number, to: number): Float32Array {
  const cutoff = passband * Math.min(1, to / from);
  const weights = Float32Array.from({ length: half * 2 }, (_value, tap) => {
    const distance = tap - half + 1 - fraction;
    return cutoff * sinc(cutoff * distance) * kaiser(distance / half);
  });
  // Rounding must not make it louder or quieter.
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function sinc(value: number): number {
  return value === 0 ? 1 : Math.sin(Math.PI * value) / (Math.PI * value);
}

function kaiser(position: number): number {
  if (Math.abs(position) >= 1) return 0;
  return bessel(kaiserBeta * Math.sqrt(1 - position * position)) / bessel(kaiserBeta);
}

/** The modified Bessel function of the first kind and order zero, as its power series. */
function bessel(value: number): number {
  let sum = 1;
  let term = 1;
  for (let index = 1; term > sum * 1e-9; index += 1) {
    term *= (value / (2 * index)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(first: number, second: number): number {
  return second === 0 ? first : greatestCommonDivisor(second, first % second);
}

export function joinSamples(parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    joined.set(part, position);
    position += part.length;
  }
  return joined;
}
