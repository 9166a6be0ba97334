import { type AudioFormat, decodeAudio, encodeAudio, sampleRateOf } from '../src/audio-format.ts';

/** A tone with an amplitude of 8,000. */
export function pureTone(frequency: number, format: AudioFormat, milliseconds: number): Buffer {
  const sampleRate = sampleRateOf(format);
  const samples = Int16Array.from({ length: (sampleRate * milliseconds) / 1_000 }, (_value, index) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * frequency * index) / sampleRate)),
  );
  return encodeAudio(format, samples);
}

/** The amplitude of one frequency in a sound. */
export function amplitudeOf(frequency: number, format: AudioFormat, audio: Buffer): number {
  const turn = (2 * Math.PI * frequency) / sampleRateOf(format);
  const samples = decodeAudio(format, audio);
  let cosine = 0;
  let sine = 0;
  for (const [index, sample] of samples.entries()) {
    cosine += sample * Math.cos(turn * index);
    sine += sample * Math.sin(turn * index);
  }
  return (2 * Math.hypot(cosine, sine)) / samples.length;
}
