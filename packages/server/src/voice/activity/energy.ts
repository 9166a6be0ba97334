/** Whether a window is loud enough for speech, as 1 or 0. */
export type EnergyJudge = (samples: Int16Array) => number;

const parts = 4;
/** In decibels below the loudest possible sound. No line is quieter than its own noise. */
const quietest = -65;
const quietestSpeech = -48;
const aboveNoise = 10;
/** Even a person who speaks without pauses is quiet for a moment within this many windows: three seconds. */
const memory = 94;

/**
 * Tells speech by its loudness: above the quietest moment of the last seconds. A window is as loud as the second quietest of its
 * parts, so that clicks do not count, and the tones of keys are not speech.
 */
export function createEnergyJudge(sampleRate: number): EnergyJudge {
  const recent: number[] = [];
  return (samples) => {
    const level = levelOf(samples);
    recent.push(level);
    if (recent.length > memory) recent.shift();
    const noise = Math.min(...recent);
    const isLoud = level > Math.max(noise + aboveNoise, quietestSpeech);
    return isLoud && !isKeyTone(samples, sampleRate) ? 1 : 0;
  };
}

function levelOf(samples: Int16Array): number {
  const length = Math.floor(samples.length / parts);
  const levels = Array.from({ length: parts }, (_value, part) => {
    let sum = 0;
    for (let index = part * length; index < (part + 1) * length; index += 1) {
      sum += ((samples[index] ?? 0) / 32_768) ** 2;
    }
    return Math.max(quietest, 10 * Math.log10(sum / length + 1e-12));
  });
  return levels.toSorted((first, second) => first - second)[1] ?? quietest;
}

/** The frequencies of telephone keys: each key is one of the low and one of the high ones. */
const low = [697, 770, 852, 941];
const high = [1_209, 1_336, 1_477, 1_633];
/** The part of the energy that the two have in a pure tone is close to 1; in speech it is far lower. */
const pure = 0.7;

/** Whether the samples are the tone of a telephone key. */
function isKeyTone(samples: Int16Array, sampleRate: number): boolean {
  let total = 0;
  for (const sample of samples) total += sample * sample;
  if (total === 0) return false;
  const strongest = (frequencies: number[]) =>
    Math.max(...frequencies.map((frequency) => energyAt(samples, frequency / sampleRate)));
  const [lowPart, highPart] = [strongest(low) / total, strongest(high) / total];
  return lowPart + highPart > pure && Math.min(lowPart, highPart) > 0.1;
}

/** Goertzel's algorithm: the energy of one frequency, on the same scale as the sum of the squares. */
function energyAt(samples: Int16Array, turns: number): number {
  const factor = 2 * Math.cos(2 * Math.PI * turns);
  let previous = 0;
  let beforeThat = 0;
  for (const sample of samples) {
    const current = sample + factor * previous - beforeThat;
    beforeThat = previous;
    previous = current;
  }
  const power = previous ** 2 + beforeThat ** 2 - factor * previous * beforeThat;
  return (2 * power) / samples.length;
}
