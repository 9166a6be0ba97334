/** The two encodings of telephone networks (ITU-T G.711): 8,000 samples per second, one byte each. */

const bias = 0x84;
const clip = 32_635;

function encodeMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), clip) + bias;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

function decodeMulaw(byte: number): number {
  const inverted = ~byte & 0xff;
  const exponent = (inverted >> 4) & 0x07;
  const magnitude = ((((inverted & 0x0f) << 3) + bias) << exponent) - bias;
  return inverted & 0x80 ? -magnitude : magnitude;
}

function encodeAlaw(sample: number): number {
  const scaled = sample >> 3;
  const magnitude = scaled < 0 ? -scaled - 1 : scaled;
  const exponent = Math.max(0, 27 - Math.clz32(magnitude));
  const mantissa = (magnitude >> Math.max(1, exponent)) & 0x0f;
  return ((exponent << 4) | mantissa) ^ (scaled < 0 ? 0x55 : 0xd5);
}

function decodeAlaw(byte: number): number {
  const plain = byte ^ 0x55;
  const exponent = (plain >> 4) & 0x07;
  const mantissa = (plain & 0x0f) << 4;
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1);
  return plain & 0x80 ? magnitude : -magnitude;
}

const bytes = Array.from({ length: 256 }, (_value, byte) => byte);
const mulawSamples = Int16Array.from(bytes, decodeMulaw);
const alawOfMulaw = Uint8Array.from(bytes, (byte) => encodeAlaw(decodeMulaw(byte)));
const mulawOfAlaw = Uint8Array.from(bytes, (byte) => encodeMulaw(decodeAlaw(byte)));

export function mulawToPcm(audio: Buffer): Int16Array {
  return Int16Array.from(audio, (byte) => mulawSamples[byte] ?? 0);
}

export function pcmToMulaw(samples: Int16Array): Buffer {
  return Buffer.from(Uint8Array.from(samples, encodeMulaw));
}

/** Narrow calls carry μ-law: A-law, which trunks in Europe prefer, is converted packet by packet. */
export function mulawToAlaw(audio: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(audio, (byte) => alawOfMulaw[byte] ?? 0));
}

export function alawToMulaw(audio: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(audio, (byte) => mulawOfAlaw[byte] ?? 0));
}
