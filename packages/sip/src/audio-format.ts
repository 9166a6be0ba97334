import { mulawToPcm, pcmToMulaw } from './g711.ts';

/** How sound is encoded on a line, always one channel. Speech is made and heard in the format of its line. */
export type AudioFormat = 'mulaw-8000' | 'pcm16-16000';

/** The length of a frame: what telephones send in one packet. */
export const frameMs = 20;

const formats = {
  'mulaw-8000': { sampleRate: 8_000, bytesPerSample: 1 },
  'pcm16-16000': { sampleRate: 16_000, bytesPerSample: 2 },
} as const satisfies Record<AudioFormat, object>;

export function sampleRateOf(format: AudioFormat): number {
  return formats[format].sampleRate;
}

export function bytesPerMs(format: AudioFormat): number {
  const { sampleRate, bytesPerSample } = formats[format];
  return (sampleRate * bytesPerSample) / 1_000;
}

export function frameBytes(format: AudioFormat): number {
  return bytesPerMs(format) * frameMs;
}

/** How long this audio plays. */
export function durationMs(format: AudioFormat, audio: Buffer): number {
  return audio.length / bytesPerMs(format);
}

/** Silence of this length, as whole samples. */
export function silence(format: AudioFormat, milliseconds: number): Buffer {
  const { sampleRate, bytesPerSample } = formats[format];
  const samples = Math.round((sampleRate * milliseconds) / 1_000);
  return Buffer.alloc(samples * bytesPerSample, format === 'mulaw-8000' ? 0xff : 0);
}

/** The samples of a line's audio. Half a sample at the end is ignored. */
export function decodeAudio(format: AudioFormat, audio: Buffer): Int16Array {
  if (format === 'mulaw-8000') return mulawToPcm(audio);
  const samples = new Int16Array(Math.floor(audio.length / 2));
  for (let index = 0; index < samples.length; index += 1) samples[index] = audio.readInt16LE(index * 2);
  return samples;
}

export function encodeAudio(format: AudioFormat, samples: Int16Array): Buffer {
  if (format === 'mulaw-8000') return pcmToMulaw(samples);
  const audio = Buffer.allocUnsafe(samples.length * 2);
  for (const [index, sample] of samples.entries()) audio.writeInt16LE(sample, index * 2);
  return audio;
}
