/** Beeps of answering machines are this long at least; no vowel is so pure and so steady for that long. */
const leastMs = 260;
const frequencies = { from: 350, to: 2_600 };
/** How much of the sound is the tone. */
const leastShare = 0.88;
const leastLoudness = 400;
/** How far the tone may be from where it began. */
const steadiness = 0.03;

/** Listens for the beep of an answering machine. Takes frames of samples; true once a beep was heard. */
export function createBeepFinder(sampleRate: number) {
  let first: number | undefined;
  let lastedMs = 0;
  return (samples: Int16Array): boolean => {
    const frequency = pureTone(samples, sampleRate);
    const isSame =
      frequency !== undefined && first !== undefined && Math.abs(frequency - first) <= first * steadiness;
    if (!isSame) {
      first = frequency;
      lastedMs = 0;
    }
    if (frequency !== undefined) lastedMs += (samples.length / sampleRate) * 1_000;
    return lastedMs >= leastMs;
  };
}

/** The frequency of a sound that is a single tone; undefined for all others. */
function pureTone(samples: Int16Array, sampleRate: number): number | undefined {
  let energy = 0;
  let product = 0;
  let square = 0;
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] ?? 0;
    energy += sample * sample;
    if (index < 2) continue;
    const middle = samples[index - 1] ?? 0;
    product += middle * (sample + (samples[index - 2] ?? 0));
    square += middle * middle;
  }
  if (square === 0 || Math.sqrt(energy / samples.length) < leastLoudness) return undefined;
  // Each sample of a tone follows from the two before it: x[n] + x[n-2] = 2 cos(w) x[n-1].
  const cosine = product / square / 2;
  if (Math.abs(cosine) >= 1) return undefined;
  const frequency = (Math.acos(cosine) / (2 * Math.PI)) * sampleRate;
  if (frequency < frequencies.from || frequency > frequencies.to) return undefined;
  return shareOf(samples, cosine, energy) >= leastShare ? frequency : undefined;
}

/** How much of the energy of a sound is at this frequency (Goertzel). */
function shareOf(samples: Int16Array, cosine: number, energy: number): number {
  let previous = 0;
  let beforePrevious = 0;
  for (const sample of samples) {
    const current = sample + 2 * cosine * previous - beforePrevious;
    beforePrevious = previous;
    previous = current;
  }
  const power = previous ** 2 + beforePrevious ** 2 - 2 * cosine * previous * beforePrevious;
  return (2 * power) / (energy * samples.length);
}
