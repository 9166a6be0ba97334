import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJitterBuffer } from './jitter-buffer.ts';

const packet = (index: number, start = 0, length = 160) => ({
  sequence: index & 0xffff,
  timestamp: (start + index * length) >>> 0,
  encoding: 'pcmu' as const,
  payload: Buffer.alloc(length, (index % 100) + 1),
});
const createBuffer = () =>
  createJitterBuffer({ format: () => 'mulaw-8000', decode: (_encoding, payload) => payload });
const silent = 0xff;
const firstBytes = (frames: Buffer[]) => frames.map((frame) => frame[0]);

/** A buffer that hears the beginning of a call, and what is heard of it. */
function listen() {
  const buffer = createBuffer();
  return {
    push: (...indexes: number[]) => indexes.flatMap((index) => firstBytes(buffer.push(packet(index)))),
    tick: (times: number) => Array.from({ length: times }, () => firstBytes(buffer.tick(1))).flat(),
    buffer,
  };
}

describe('the jitter buffer', () => {
  it('passes on at once what comes in order, even where timestamps wrap around', () => {
    const buffer = createBuffer();
    const heard = [0, 1, 2, 3].map((index) => firstBytes(buffer.push(packet(index, 0xffff_ff00))));
    expect(heard).toEqual([[1], [2], [3], [4]]);
  });

  it('puts packets in order, once each', () => {
    const { push } = listen();
    expect(push(0, 2, 2, 3)).toEqual([1]);
    expect(push(1, 0, 3, 4)).toEqual([2, 3, 4, 5]);
  });

  it('waits 60 ms for what is missing, and then fills the gap with silence of its length', () => {
    const { push, tick } = listen();
    expect(push(0, 3, 5)).toEqual([1]);
    expect(tick(2)).toEqual([]);
    expect(tick(1)).toEqual([silent, silent, 4]);
    expect(push(1)).toEqual([]);
    expect(tick(3)).toEqual([silent, 6]);
  });

  it('is silent before the first packet, and after 100 ms without one, but loses nothing that is late', () => {
    const { push, tick, buffer } = listen();
    expect(tick(2)).toEqual([silent, silent]);
    expect(push(0)).toEqual([1]);
    expect(tick(6)).toEqual([]);
    expect(tick(2)).toEqual([silent, silent]);
    expect(push(1, 2)).toEqual([2, 3]);
    // Whatever came during a stall of ours was not late.
    expect(firstBytes(buffer.tick(50))).toEqual([]);
    expect(firstBytes(buffer.tick(50))).toHaveLength(45);
  });

  it('hears the pause of a sender that counts on while it is silent, once', () => {
    const { push, tick, buffer } = listen();
    push(0);
    expect(tick(8)).toEqual([silent, silent]);
    const later = { ...packet(11), sequence: 1 };
    expect(firstBytes(buffer.push(later))).toEqual([...Array.from({ length: 8 }, () => silent), 12]);
  });

  it('continues with a sender that restarts its count, near or far', () => {
    for (const start of [-8_000, 1_000_000]) {
      const { push, buffer } = listen();
      push(...Array.from({ length: 60 }, (_value, index) => index));
      const heard = Array.from({ length: 30 }, (_value, index) =>
        firstBytes(buffer.push({ ...packet(index), timestamp: (9_600 + start + index * 160) >>> 0 })),
      ).flat();
      expect(heard.length).toBeGreaterThanOrEqual(19);
      expect(heard.at(-1)).toBe(30);
    }
  });

  it('makes frames of packets of any length', () => {
    const buffer = createBuffer();
    const heard = [0, 1, 2, 3].map((index) => buffer.push(packet(index, 0, 240)).length);
    expect(heard).toEqual([1, 2, 1, 2]);
  });

  it('decodes packets in their order, and fills gaps in the format of the call', () => {
    const decoded: number[] = [];
    const buffer = createJitterBuffer({
      format: () => 'pcm16-16000',
      decode(encoding, payload) {
        expect(encoding).toBe('g722');
        decoded.push(payload[0] ?? 0);
        return Buffer.alloc(payload.length * 4, payload[0]);
      },
    });
    const push = (index: number) => buffer.push({ ...packet(index), encoding: 'g722' });
    const heard = [0, 2, 1, 4].flatMap(push);
    expect(heard.map((frame) => [frame.length, frame[0]])).toEqual([1, 2, 3].map((byte) => [640, byte]));
    const late = [1, 2, 3].flatMap(() => buffer.tick(1));
    expect(late).toEqual([Buffer.alloc(640), Buffer.alloc(640, 5)]);
    expect(decoded).toEqual([1, 2, 3, 5]);
  });

  it('hears two seconds more than the time that passes, at most, and continues afterwards', () => {
    const { push, tick } = listen();
    const heard = Array.from({ length: 500 }, (_value, index) => push(index)).flat();
    expect(heard.length).toBeLessThanOrEqual(102);
    tick(200);
    expect(push(...Array.from({ length: 20 }, (_value, index) => 500 + index)).length).toBeGreaterThan(15);
  });

  it('gives whole frames, and not more than time allows, whatever arrives', () => {
    const anyPacket = fc.record({
      sequence: fc.nat(0xffff),
      timestamp: fc.oneof(fc.nat(0xffff_ffff), fc.nat(20_000)),
      encoding: fc.constant('pcmu' as const),
      payload: fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(fc.array(fc.option(anyPacket)), (steps) => {
        const buffer = createBuffer();
        let frames = 0;
        for (const step of steps) {
          const heard = [...(step ? buffer.push(step) : []), ...buffer.tick(1)];
          for (const frame of heard) expect(frame).toHaveLength(160);
          frames += heard.length;
        }
        expect(frames).toBeLessThanOrEqual(steps.length * 2.25 + 250);
      }),
    );
  });
});
