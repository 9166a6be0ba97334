export interface WavFormat {
  /** 1 is PCM, 7 is µ-law. */
  code: 1 | 7;
  sampleRate: number;
  channels: number;
  bytesPerSample: number;
}

export const wavHeaderBytes = 44;

/** What stands before so many bytes of sound in a WAV file. */
export function wavHeader({ code, sampleRate, channels, bytesPerSample }: WavFormat, length: number): Buffer {
  const blockBytes = channels * bytesPerSample;
  const header = Buffer.alloc(wavHeaderBytes);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(code, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * blockBytes, 28);
  header.writeUInt16LE(blockBytes, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('data', 36);
  header.writeUInt32LE(length, 40);
  return header;
}
