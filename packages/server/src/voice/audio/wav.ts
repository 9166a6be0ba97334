import { type AudioFormat, bytesPerMs, sampleRateOf } from './format.ts';

const codes: Record<AudioFormat, number> = { 'pcm16-16000': 1, 'mulaw-8000': 7 };

/** The audio of a line as a WAV file. */
export function wavOf(format: AudioFormat, audio: Buffer): Buffer {
  const sampleRate = sampleRateOf(format);
  const bytesPerSample = (bytesPerMs(format) * 1_000) / sampleRate;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + audio.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(codes[format], 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('data', 36);
  header.writeUInt32LE(audio.length, 40);
  return Buffer.concat([header, audio]);
}
