import { type AudioFormat, bytesPerMs, sampleRateOf } from '../audio/format.ts';

const headerBytes = 44;
const formatCodes: Record<AudioFormat, number> = { 'pcm16-16000': 1, 'mulaw-8000': 7 };

/** Audio as a WAV file. */
export function wavOf(format: AudioFormat, audio: Buffer): Buffer {
  const bytesPerSecond = bytesPerMs(format) * 1_000;
  const bytesPerSample = bytesPerSecond / sampleRateOf(format);
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0);
  header.writeUInt32LE(headerBytes - 8 + audio.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(formatCodes[format], 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRateOf(format), 24);
  header.writeUInt32LE(bytesPerSecond, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('data', 36);
  header.writeUInt32LE(audio.length, 40);
  return Buffer.concat([header, audio]);
}
