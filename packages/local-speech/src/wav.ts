export interface WavAudio {
  sampleRate: number;
  samples: Int16Array;
}

/**
 * Reads a WAV file of 16-bit samples, one channel. Programs that write into a pipe do not know the length beforehand, so a
 * wrong length in the header is ignored. `undefined` if it is another kind of file.
 */
export function readWav(file: Buffer): WavAudio | undefined {
  if (file.length < 12 || file.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (file.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let sampleRate: number | undefined;
  for (let start = 12; start + 8 <= file.length; ) {
    const name = file.toString('latin1', start, start + 4);
    const length = file.readUInt32LE(start + 4);
    const isUnknown = name === 'data' && length === 0;
    const body = file.subarray(start + 8, isUnknown ? undefined : start + 8 + length);
    if (name === 'fmt ') {
      const isPlain = body.length >= 16 && body.readUInt16LE(0) === 1 && body.readUInt16LE(2) === 1;
      if (!isPlain || body.readUInt16LE(14) !== 16) return undefined;
      sampleRate = body.readUInt32LE(4);
    }
    if (name === 'data') return sampleRate ? { sampleRate, samples: toSamples(body) } : undefined;
    start += 8 + length + (length % 2);
  }
  return undefined;
}

function toSamples(body: Buffer): Int16Array {
  // A buffer may begin at an odd address, where no array of 16-bit numbers can.
  const copy = new Uint8Array(body.length - (body.length % 2));
  copy.set(body.subarray(0, copy.length));
  return new Int16Array(copy.buffer);
}
