/** The frequencies of telephone keys: each key is one of the low and one of the high ones. */
const low = [697, 770, 852, 941];
const high = [1_209, 1_336, 1_477, 1_633];
/** The part of the energy that the two have in a pure tone is close to 1; in speech it is far lower. */
const pure = 0.7;

/** Whether the samples are the tone of a telephone key. */
export function isKeyTone(samples: Int16Array, sampleRate: number): boolean {
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
