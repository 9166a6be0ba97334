import { wavHeader } from '../../lib/wav-header.ts';
import { type AudioFormat, bytesPerMs, sampleRateOf } from './format.ts';

const codes = { 'pcm16-16000': 1, 'mulaw-8000': 7 } as const satisfies Record<AudioFormat, number>;

/** The audio of a line as a WAV file. */
export function wavOf(format: AudioFormat, audio: Buffer): Buffer {
  const sampleRate = sampleRateOf(format);
  const bytesPerSample = (bytesPerMs(format) * 1_000) / sampleRate;
  const header = wavHeader({ code: codes[format], sampleRate, channels: 1, bytesPerSample }, audio.length);
  return Buffer.concat([header, audio]);
}
