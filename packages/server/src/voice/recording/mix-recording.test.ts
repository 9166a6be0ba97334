import { pcmToMulaw } from '@svc/sip/g711';
import { expect, test } from 'vitest';
import type { AudioFormat } from '../audio/format.ts';
import { mixRecording } from './mix-recording.ts';

const frame = (byte: number) => Buffer.alloc(160, byte);
const silent = 0xff;

function start(format: AudioFormat = 'mulaw-8000') {
  const clock = { now: 0, playedMs: 0 };
  const parts: Buffer[] = [];
  const mix = mixRecording({
    format,
    partBytes: 1_600,
    now: () => clock.now,
    playedMs: () => clock.playedMs,
    onPart: (part) => parts.push(part),
  });
  /** A frame of the caller, 20 ms after the one before. */
  const next = (byte: number, played = 0) => {
    clock.now += 20;
    clock.playedMs += played;
    mix.caller(frame(byte));
  };
  const all = () => {
    const rest = mix.remainder();
    return Buffer.concat([...parts, rest]);
  };
  const channel = (index: 0 | 1) => all().filter((_byte, at) => at % 2 === index);
  /** The bytes of a channel, one for each 20 ms that all have the same. */
  const frames = (index: 0 | 1) => {
    const bytes = channel(index);
    return Array.from({ length: bytes.length / 160 }, (_, at) => {
      const one = new Set(bytes.subarray(at * 160, at * 160 + 160));
      return one.size === 1 ? [...one][0] : [...one];
    });
  };
  return { mix, clock, parts, next, frames };
}

test('the caller is on the left and the bot on the right, as it is heard', () => {
  const { mix, next, frames, parts } = start();
  mix.bot(Buffer.concat([frame(1), frame(2)]));
  next(10);
  next(11, 20);
  next(12, 20);
  next(13);
  expect(frames(0)).toEqual([10, 11, 12, 13]);
  expect(frames(1)).toEqual([silent, 1, 2, silent]);
  expect(mix.ms).toBe(80);
  expect(parts).toHaveLength(0);
  next(14);
  next(15);
  expect(mix.remainder()).toHaveLength(320);
  expect(parts.map(({ length }) => length)).toEqual([1_600]);
});

test('what was cut off is not in it', () => {
  const { mix, next, frames } = start();
  mix.bot(Buffer.concat([frame(1), frame(2), frame(3)]));
  next(10, 20);
  mix.clear();
  mix.bot(frame(9));
  next(11);
  next(12, 20);
  expect(frames(1)).toEqual([1, silent, 9]);
});

test('a telephone that sends nothing for a while does not shift what follows', () => {
  const { mix, clock, next, frames } = start();
  next(10);
  mix.bot(frame(1));
  clock.playedMs += 20;
  clock.now += 1_000;
  next(11);
  expect(mix.ms).toBe(1_040);
  expect(frames(0).at(-1)).toBe(11);
  expect(frames(1).slice(0, 3)).toEqual([silent, 1, silent]);
  // What arrives late is already filled with silence.
  for (let late = 0; late < 50; late += 1) mix.caller(frame(12));
  expect(mix.ms).toBeLessThanOrEqual(1_040 + 520);
});

test('keys are not heard', () => {
  const { mix, next, frames } = start();
  next(10);
  next(11);
  mix.mute();
  for (let count = 0; count < 30; count += 1) next(12);
  expect(frames(0).slice(0, 2)).toEqual([silent, silent]);
  expect(frames(0).slice(2, 22)).toEqual(Array.from({ length: 20 }, () => silent));
  expect(frames(0).slice(22, 24)).toEqual([12, 12]);
});

test('keys are not heard at the end of the part before', () => {
  const { mix, next, frames, parts } = start();
  // A part has five frames, and a tone twenty.
  for (let count = 0; count < 32; count += 1) next(12);
  expect(parts).toHaveLength(2);
  mix.mute();
  expect(frames(0)).toEqual([...Array(12).fill(12), ...Array(20).fill(silent)]);
});

test('wider sound is kept, with a byte per sample', () => {
  const { mix, clock } = start('pcm16-16000');
  mix.bot(Buffer.alloc(640));
  clock.playedMs += 20;
  mix.caller(Buffer.alloc(640, 0x40));
  expect(mix.ms).toBe(20);
  const rest = mix.remainder();
  expect(rest).toHaveLength(640);
  // Silence of PCM is silence of µ-law.
  expect([rest[0], rest[1]]).toEqual([pcmToMulaw(Int16Array.of(0x4040))[0], silent]);
});
