import { readFile, writeFile } from 'node:fs/promises';
import { readWav } from '@svc/local-speech/wav';
import { mulawToPcm, pcmToMulaw } from '@svc/sip/g711';
import { writeWav } from '../../../../local-speech/test/write-wav.ts';

const phoneRate = 8_000;

/** A tone, as samples. */
export function tone(
  frequency: number,
  milliseconds: number,
  amplitude = 8_000,
  sampleRate = phoneRate,
): Int16Array {
  return Int16Array.from({ length: (sampleRate * milliseconds) / 1_000 }, (_value, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * index) / sampleRate)),
  );
}

/** For a line with 16,000 samples per second. */
export const wideTone = (frequency: number, milliseconds: number) =>
  tone(frequency, milliseconds, 8_000, 16_000);

export const mulawTone = (frequency: number, milliseconds: number) =>
  pcmToMulaw(tone(frequency, milliseconds));

/** How strong a tone is in these samples: 1 if there is nothing else, 0 if it is not there (Goertzel). */
function toneShare(samples: Int16Array, frequency: number, sampleRate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / sampleRate);
  let previous = 0;
  let beforePrevious = 0;
  let energy = 0;
  for (const sample of samples) {
    const current = sample + coefficient * previous - beforePrevious;
    beforePrevious = previous;
    previous = current;
    energy += sample * sample;
  }
  const power = previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious;
  return energy === 0 ? 0 : (2 * power) / (energy * samples.length);
}

/** How many milliseconds of the audio are this tone. */
export function toneMs(samples: Int16Array, frequency: number, sampleRate = phoneRate): number {
  const frame = sampleRate / 50;
  let found = 0;
  for (let start = 0; start + frame <= samples.length; start += frame) {
    if (toneShare(samples.subarray(start, start + frame), frequency, sampleRate) > 0.8) found += 20;
  }
  return found;
}

export const mulawToneMs = (audio: Buffer, frequency: number) => toneMs(mulawToPcm(audio), frequency);

export async function writeToneFile(
  path: string,
  samples: Int16Array,
  sampleRate = phoneRate,
): Promise<void> {
  await writeFile(path, writeWav({ sampleRate, samples }));
}

/** The samples of a recording. */
export async function readRecording(path: string): Promise<Int16Array> {
  const audio = readWav(await readFile(path));
  if (!audio) throw new Error(`${path} is not a recording of one channel with 16 bits.`);
  return audio.samples;
}
