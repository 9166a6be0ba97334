import { isKeyTone } from './key-tone.ts';

/** Whether a window is loud enough for speech, as 1 or 0. */
export type EnergyJudge = (samples: Int16Array) => number;

const parts = 4;
/** As decibels below the loudest possible. Nothing on a line is quieter than its own noise. */
const quietest = -65;
const quietestSpeech = -48;
const aboveNoise = 10;
/** Even somebody who speaks without pauses is quiet for a moment within this many windows: three seconds. */
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
