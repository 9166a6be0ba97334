import { createBandJoiner, createBandSplitter, saturate } from './qmf.ts';

/**
 * Wideband telephony (ITU-T G.722, 64 kbit/s): 16,000 samples per second as 8,000 bytes. Each byte has six bits of the lower band and
 * two of the upper one, each a step from what was predicted of the band. Names in brackets are those of the standard.
 */

/** What encoder and decoder both know of a band, as both follow the same steps. */
interface Band {
  /** The size of a step [DET] and its logarithm [NB]. */
  step: number;
  logStep: number;
  /** What is predicted for the next sample [S], and the part of it that comes from the last differences [SZ]. */
  predicted: number;
  fromDifferences: number;
  /** The last sample [R], and the last two without the part of earlier samples [P]. */
  sample: number;
  partial: number;
  partialBefore: number;
  /** The weights of the last two samples [A]. */
  pole: number;
  poleBefore: number;
  /** The last six differences [D] and their weights [B]. */
  differences: Int32Array;
  zeros: Int32Array;
}

function createBand(step: number): Band {
  return {
    step,
    logStep: 0,
    predicted: 0,
    fromDifferences: 0,
    sample: 0,
    partial: 0,
    partialBefore: 0,
    pole: 0,
    poleBefore: 0,
    differences: new Int32Array(6),
    zeros: new Int32Array(6),
  };
}

const isSameSign = (one: number, other: number) => (one ^ other) >= 0;
const limit = (value: number, most: number) => (value > most ? most : value < -most ? -most : value);
const scaled = (value: number, weight: number) => (value * weight) >> 15;

/** Takes the difference of a sample from its prediction, and predicts the next one. */
function adapt(band: Band, difference: number): void {
  const sample = saturate(band.predicted + difference);
  adaptPoles(band, saturate(band.fromDifferences + difference));
  adaptZeros(band, difference);
  const fromSamples =
    scaled(band.pole, saturate(2 * sample)) + scaled(band.poleBefore, saturate(2 * band.sample));
  band.sample = sample;
  band.predicted = saturate(saturate(fromSamples) + band.fromDifferences);
}

function adaptPoles(band: Band, partial: number): void {
  const isSteady = isSameSign(partial, band.partial);
  const quadrupled = saturate(band.pole * 4);
  const trend = Math.min(isSteady ? -quadrupled : quadrupled, 32_767) >> 7;
  const sway = isSameSign(partial, band.partialBefore) ? 128 : -128;
  band.poleBefore = limit(trend + sway + scaled(band.poleBefore, 32_512), 12_288);
  const pole = saturate((isSteady ? 192 : -192) + scaled(band.pole, 32_640));
  band.pole = limit(pole, 15_360 - band.poleBefore);
  band.partialBefore = band.partial;
  band.partial = partial;
}

function adaptZeros(band: Band, difference: number): void {
  const { differences, zeros } = band;
  const change = difference === 0 ? 0 : 128;
  let sum = 0;
  for (let index = 5; index >= 0; index -= 1) {
    const direction = isSameSign(differences[index] ?? 0, difference) ? change : -change;
    const zero = saturate(direction + scaled(zeros[index] ?? 0, 32_640));
    const next = index === 0 ? difference : (differences[index - 1] ?? 0);
    zeros[index] = zero;
    differences[index] = next;
    sum += scaled(zero, saturate(2 * next));
  }
  band.fromDifferences = saturate(sum);
}

/** 2,048 · 2^(n/32). */
const powers = Int32Array.from({ length: 32 }, (_value, index) => Math.round(2_048 * 2 ** (index / 32)));

/** Loud steps are followed by larger ones, quiet steps by smaller ones. */
function adaptStep(band: Band, change: number, { most, shift }: { most: number; shift: number }): void {
  band.logStep = Math.max(0, Math.min(most, ((band.logStep * 127) >> 7) + change));
  const power = powers[(band.logStep >> 6) & 31] ?? 0;
  const down = shift - (band.logStep >> 11);
  band.step = (down < 0 ? power << -down : power >> down) << 2;
}

const lowRange = { most: 18_432, shift: 8 };
const highRange = { most: 22_528, shift: 10 };
/** What a step means for the size of the next one [WL, WH], by the highest bits of its code. */
const lowChanges = Int32Array.from([
  -60, 3_042, 1_198, 538, 334, 172, 58, -30, 3_042, 1_198, 538, 334, 172, 58, -30, -60,
]);
const highChanges = Int32Array.of(798, -214, 798, -214);
/** The steps of the lower band by the four highest bits of its code [QM4], which alone predict, and by all six [QM6]. */
const coarseSteps = Int32Array.from([
  0, -20_456, -12_896, -8_968, -6_288, -4_240, -2_584, -1_200, 20_456, 12_896, 8_968, 6_288, 4_240, 2_584,
  1_200, 0,
]);
const positiveSteps = [
  24_808, 21_904, 19_008, 16_704, 14_984, 13_512, 12_280, 11_192, 10_232, 9_360, 8_576, 7_856, 7_192, 6_576,
  6_000, 5_456, 4_944, 4_464, 4_008, 3_576, 3_168, 2_776, 2_400, 2_032, 1_688, 1_360, 1_040, 728,
];
const negativeSteps = positiveSteps.map((step) => -step);
const smallest = [432, 136, -432, -136];
const fineSteps = Int32Array.of(-136, -136, -136, -136, ...negativeSteps, ...positiveSteps, ...smallest);
const highSteps = Int32Array.of(-7_408, -1_616, 7_408, 1_616);
/** Where the next larger step of the lower band begins [Q6]. */
const thresholds = Int32Array.from([
  35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1_023, 1_121, 1_219,
  1_339, 1_458, 1_612, 1_765, 1_980, 2_195, 2_557, 2_919,
]);
const highThreshold = 564;

function takeLow(band: Band, code: number): void {
  const coarse = code >> 2;
  const difference = scaled(band.step, coarseSteps[coarse] ?? 0);
  adaptStep(band, lowChanges[coarse] ?? 0, lowRange);
  adapt(band, difference);
}

function takeHigh(band: Band, code: number): void {
  const difference = scaled(band.step, highSteps[code] ?? 0);
  adaptStep(band, highChanges[code] ?? 0, highRange);
  adapt(band, difference);
}

/** The code of the step that is nearest to the sample. */
function lowCode(band: Band, sample: number): number {
  const difference = saturate(sample - band.predicted);
  const size = difference < 0 ? ~difference : difference;
  let level = 0;
  while (level < thresholds.length && size >= ((thresholds[level] ?? 0) * band.step) >> 12) level += 1;
  if (difference >= 0) return 61 - level;
  return level < 2 ? 63 - level : 33 - level;
}

function highCode(band: Band, sample: number): number {
  const difference = saturate(sample - band.predicted);
  const size = difference < 0 ? ~difference : difference;
  const isLarge = size >= (highThreshold * band.step) >> 12;
  return (difference < 0 ? 0 : 2) + (isLarge ? 0 : 1);
}

const createBands = () => ({ low: createBand(32), high: createBand(8) });
const maxSample = 16_383;

/** Encodes one stream, an even number of samples at a time. */
export function createG722Encoder(): (samples: Int16Array) => Buffer {
  const split = createBandSplitter();
  const bands = createBands();
  return (samples) => {
    const { low, high } = split(samples);
    const encoded = Buffer.allocUnsafe(low.length);
    for (let index = 0; index < low.length; index += 1) {
      const lower = lowCode(bands.low, low[index] ?? 0);
      const upper = highCode(bands.high, high[index] ?? 0);
      takeLow(bands.low, lower);
      takeHigh(bands.high, upper);
      encoded[index] = (upper << 6) | lower;
    }
    return encoded;
  };
}

/** Decodes one stream, whose packets have to be given in their order. */
export function createG722Decoder(): (encoded: Buffer) => Int16Array {
  const join = createBandJoiner();
  const bands = createBands();
  return (encoded) => {
    const low = new Int32Array(encoded.length);
    const high = new Int32Array(encoded.length);
    for (let index = 0; index < encoded.length; index += 1) {
      const byte = encoded[index] ?? 0;
      const lower = byte & 0x3f;
      const upper = byte >> 6;
      low[index] = limited(bands.low.predicted + scaled(bands.low.step, fineSteps[lower] ?? 0));
      high[index] = limited(bands.high.predicted + scaled(bands.high.step, highSteps[upper] ?? 0));
      takeLow(bands.low, lower);
      takeHigh(bands.high, upper);
    }
    return join({ low, high });
  };
}

const limited = (sample: number) => Math.max(-maxSample - 1, Math.min(maxSample, sample));
