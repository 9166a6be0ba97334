import { readFile, writeFile } from 'node:fs/promises';
import { mulawToPcm, pcmToMulaw } from '../../../src/voice/audio/g711.ts';

const sampleRate = 8_000;

/** A tone, as samples. */
export function tone(frequency: number, milliseconds: number, amplitude = 8_000): Int16Array {
  return Int16Array.from({ length: (sampleRate * milliseconds) / 1_000 }, (_value, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * index) / sampleRate)),
  );
}

export const mulawTone = (frequency: number, milliseconds: number) =>
  pcmToMulaw(tone(frequency, milliseconds));

/** How strong a tone is in these samples: 1 if there is nothing else, 0 if it is not there (Goertzel). */
function toneShare(samples: Int16Array, frequency: number): number {
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
export function toneMs(samples: Int16Array, frequency: number): number {
  const frame = 160;
  let found = 0;
  for (let start = 0; start + frame <= samples.length; start += frame) {
    if (toneShare(samples.subarray(start, start + frame), frequency) > 0.8) found += 20;
  }
  return found;
}

export const mulawToneMs = (audio: Buffer, frequency: number) => toneMs(mulawToPcm(audio), frequency);

/** Writes 16-bit samples as a WAV file of one channel. */
export async function writeWav(path: string, samples: Int16Array): Promise<void> {
  const data = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(data.length, 40);
  await writeFile(path, Buffer.concat([header, data]));
}

/** The samples of a WAV file of one channel with 16 bits. */
export async function readWav(path: string): Promise<Int16Array> {
  const file = await readFile(path);
  let at = 12;
  while (at + 8 <= file.length && file.toString('latin1', at, at + 4) !== 'data') {
    at += 8 + file.readUInt32LE(at + 4);
  }
  const data = file.subarray(at + 8);
  return Int16Array.from({ length: Math.floor(data.length / 2) }, (_value, index) =>
    data.readInt16LE(index * 2),
  );
}
