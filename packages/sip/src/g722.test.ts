import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createG722Decoder, createG722Encoder } from './g722.ts';

const frame = 320;
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const tone = (frequency: number, amplitude: number) =>
  Int16Array.from({ length: 16_000 }, (_value, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * index) / 16_000)),
  );

/** Two seconds of noise, from silence to beyond full scale, of whole numbers only: the same on every machine. */
function noise(): Int16Array {
  let state = 1;
  return Int16Array.from({ length: 32_000 }, (_value, index) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const loudness = [0, 40, 600, 8_000, 32_767, 90_000, 300, 0][Math.floor(index / 4_000)] ?? 0;
    const sample = Math.floor((((state >> 8) % 65_536) * loudness) / 32_768) - loudness;
    return Math.max(-32_768, Math.min(32_767, sample));
  });
}

function encode(samples: Int16Array): Buffer {
  const encoder = createG722Encoder();
  const parts: Buffer[] = [];
  for (let at = 0; at < samples.length; at += frame) parts.push(encoder(samples.subarray(at, at + frame)));
  return Buffer.concat(parts);
}

/** In decibels, how much louder a sound is than what encoding has changed of it. */
function signalToNoise(samples: Int16Array): number {
  const decoded = createG722Decoder()(encode(samples));
  // Both filters together delay the sound by 22 samples.
  let signal = 0;
  let error = 0;
  for (let index = 1_600; index + 22 < samples.length; index += 1) {
    signal += (samples[index] ?? 0) ** 2;
    error += ((samples[index] ?? 0) - (decoded[index + 22] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / error);
}

describe('G.722', () => {
  // Encoded and decoded once by libg722 1.2.8 (github.com/sippy/libg722, g722_encode and g722_decode at 64 kbit/s), which stems from the
  // implementation in spandsp: `digest` of its output for the same samples, 16-bit little-endian.
  it('agrees with another implementation in every bit', () => {
    const encoded = encode(noise());
    expect(digest(encoded)).toBe('2b91581bbcf5613f');
    const decoded = createG722Decoder()(encoded);
    expect(digest(new Uint8Array(decoded.buffer))).toBe('0655ce8e644a7117');
  });

  it('decodes any bytes as the other does', () => {
    const bytes = Buffer.from(noise().buffer);
    expect(digest(new Uint8Array(createG722Decoder()(bytes).buffer))).toBe('f3749745f750e4de');
  });

  it.each([
    [300, 30],
    [1_000, 30],
    [3_000, 30],
    [6_000, 10],
  ])('keeps a tone of %i Hz, at least %i dB above its noise', (frequency, decibels) => {
    expect(signalToNoise(tone(frequency, 10_000))).toBeGreaterThan(decibels);
  });
});
