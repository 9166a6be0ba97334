import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJitterBuffer } from './jitter-buffer.ts';

const packet = (index: number, start = 0) => ({
  sequence: index & 0xffff,
  timestamp: (start + index * 160) >>> 0,
  audio: Buffer.alloc(160, (index % 100) + 1),
});
const silent = 0xff;

/** Plays packets that arrive after a delay, in frames, and returns the first byte of every frame. */
function play(delays: number[], start = 0): number[] {
  const buffer = createJitterBuffer();
  const heard: number[] = [];
  for (let time = 0; time < delays.length + 20; time += 1) {
    for (const [index, delay] of delays.entries())
      if (index + delay === time) buffer.push(packet(index, start));
    heard.push(buffer.pull()[0] ?? 0);
  }
  return heard;
}

const spoken = (heard: number[]) => heard.filter((byte) => byte !== silent);

describe('the jitter buffer', () => {
  it('plays everything after 40 ms, even where timestamps wrap around', () => {
    const heard = play([0, 0, 0, 0, 0, 0], 0xffff_ff00);
    expect(heard.slice(0, 9)).toEqual([silent, silent, 1, 2, 3, 4, 5, 6, silent]);
  });

  it('puts packets in order, once each', () => {
    expect(spoken(play([0, 1, 0, 2, 0, 0]))).toEqual([1, 2, 3, 4, 5, 6]);
    const buffer = createJitterBuffer();
    for (const index of [0, 1, 1, 0, 2]) buffer.push(packet(index));
    expect(spoken(Array.from({ length: 10 }, () => buffer.pull()[0] ?? 0))).toEqual([1, 2, 3]);
  });

  it('fills gaps with silence of their length', () => {
    const buffer = createJitterBuffer();
    for (const index of [0, 1, 4]) buffer.push(packet(index));
    const heard = Array.from({ length: 8 }, () => buffer.pull()[0]);
    expect(heard).toEqual([silent, silent, 1, 2, silent, silent, 5, silent]);
  });

  it('waits longer after late packets, and less when they come in time again', () => {
    const buffer = createJitterBuffer();
    let index = 0;
    const run = (frames: number, delay: (index: number) => number) => {
      const waiting: { at: number; index: number }[] = [];
      for (let time = 0; time < frames; time += 1) {
        waiting.push({ at: time + delay(index), index });
        index += 1;
        for (const entry of waiting.filter(({ at }) => at === time)) buffer.push(packet(entry.index));
        buffer.pull();
      }
    };
    run(100, (current) => (current % 10 === 0 ? 4 : 0));
    expect(buffer.delayMs).toBeGreaterThanOrEqual(60);
    run(1_500, () => 0);
    expect(buffer.delayMs).toBe(40);
  });

  it('goes on after a pause in which the sender stopped counting, and with another source', () => {
    const buffer = createJitterBuffer();
    for (let index = 0; index < 5; index += 1) buffer.push(packet(index));
    for (let count = 0; count < 60; count += 1) buffer.pull();
    const heard: number[] = [];
    for (let index = 5; index < 40; index += 1) {
      buffer.push(packet(index));
      heard.push(buffer.pull()[0] ?? 0);
    }
    expect(spoken(heard).length).toBeGreaterThan(20);
    buffer.reset();
    buffer.push(packet(5, 1_000_000));
    expect(spoken(Array.from({ length: 5 }, () => buffer.pull()[0] ?? 0))).toEqual([6]);
  });

  it('gives one whole frame each time, whatever arrives', () => {
    const anyPacket = fc.record({
      sequence: fc.nat(0xffff),
      timestamp: fc.nat(0xffff_ffff),
      audio: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(fc.array(fc.option(anyPacket)), (steps) => {
        const buffer = createJitterBuffer();
        for (const step of steps) {
          if (step) buffer.push(step);
          expect(buffer.pull()).toHaveLength(160);
          expect(buffer.delayMs).toBeGreaterThanOrEqual(40);
          expect(buffer.delayMs).toBeLessThanOrEqual(120);
        }
      }),
    );
  });
});
