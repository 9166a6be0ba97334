import { describe, expect, it } from 'vitest';
import { amplitudeOf, pureTone } from '../../test/pure-tone.ts';
import { type AudioFormat, frameBytes } from '../audio-format.ts';
import { createDecoder, createEncoder, type Encoding, formatOf, frameTicks } from './codec.ts';

/** A tone that one call sends, frame by frame, and another receives. */
function carry(encoding: Encoding, frequency: number, from: AudioFormat, to: AudioFormat): number {
  const encode = createEncoder(encoding, from);
  const decode = createDecoder(encoding, to);
  const sent = pureTone(frequency, from, 300);
  const lengths = new Set<number>();
  const heard: Buffer[] = [];
  for (let at = 0; at < sent.length; at += frameBytes(from)) {
    const payload = encode(sent.subarray(at, at + frameBytes(from)));
    lengths.add(payload.length);
    heard.push(decode(payload));
  }
  expect([...lengths]).toEqual([frameTicks]);
  expect(heard.every((frame) => frame.length === frameBytes(to))).toBe(true);
  // The filters begin with silence.
  return amplitudeOf(frequency, to, Buffer.concat(heard.slice(5)));
}

const encodings = ['pcmu', 'pcma', 'g722'] as const;
const formats = ['mulaw-8000', 'pcm16-16000'] as const;

describe('encodings of packets', () => {
  it.each(
    encodings.flatMap((encoding) => formats.flatMap((from) => formats.map((to) => ({ encoding, from, to })))),
  )('$encoding carries a voice from $from to $to', ({ encoding, from, to }) => {
    for (const frequency of [300, 1_000, 3_000]) {
      const amplitude = carry(encoding, frequency, from, to);
      expect(amplitude).toBeGreaterThan(7_000);
      expect(amplitude).toBeLessThan(9_000);
    }
  });

  it('carry what lies above 4 kHz in wideband alone', () => {
    const high = (encoding: Encoding) => carry(encoding, 6_000, 'pcm16-16000', 'pcm16-16000');
    expect(high('g722')).toBeGreaterThan(7_000);
    expect(high('pcmu')).toBeLessThan(100);
    expect(encodings.map(formatOf)).toEqual(['mulaw-8000', 'mulaw-8000', 'pcm16-16000']);
  });
});
