import { mulawToPcm, pcmToMulaw } from '@svc/sip/g711';
import type { AudioFormat } from './format.ts';

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
