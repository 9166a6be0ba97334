import { expect, it } from 'vitest';
import { createInboundAudio } from './inbound-audio.ts';

function start() {
  const frames: Buffer[] = [];
  const receive = createInboundAudio((frame) => void frames.push(frame));
  const values = () => frames.map((frame) => frame[0]);
  const say = (chunk: number, timestampMs: number, value: number, length = 160) =>
    receive({ chunk, timestampMs, audio: Buffer.alloc(length, value) });
  return { frames, values, say };
}

it('passes frames on, however exact their times are', () => {
  const { values, say } = start();
  for (const [chunk, time] of [5, 25, 47, 63, 85].entries()) say(chunk + 1, time, chunk + 1);
  expect(values()).toEqual([1, 2, 3, 4, 5]);
});

it('puts silence where something is missing, and drops what comes late or twice', () => {
  const { values, say } = start();
  say(1, 0, 1);
  say(4, 60, 4);
  say(2, 20, 2);
  say(4, 60, 4);
  say(5, 80, 5);
  expect(values()).toEqual([1, 0xff, 0xff, 4, 5]);
});

it('does not fill a long interruption', () => {
  const { values, say } = start();
  say(1, 0, 1);
  say(2, 3_600_000, 2);
  say(3, 3_600_020, 3);
  expect(values()).toEqual([1, 2, 3]);
});

it('cuts other lengths into frames', () => {
  const { frames, say } = start();
  say(1, 0, 1, 100);
  say(2, 12, 2, 240);
  expect(frames.map((frame) => frame.length)).toEqual([160, 160]);
});
