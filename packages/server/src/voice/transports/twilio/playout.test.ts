import { expect, it } from 'vitest';
import { createPlayout } from './playout.ts';

/** A playout whose clock is set by hand. */
function start() {
  const events: string[] = [];
  const state = { time: 0, bytes: 0 };
  const playout = createPlayout({
    now: () => state.time,
    sendAudio(frame) {
      state.bytes += frame.length;
    },
    sendMark: (name) => void events.push(name),
    sendClear: () => void events.push('clear'),
  });
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 100) {
      state.time += 100;
      playout.tick();
    }
  };
  return { playout, events, state, pass };
}

const seconds = (count: number) => Buffer.alloc(count * 8_000);

it('runs ahead of real time by about a second', () => {
  const { playout, state, pass } = start();
  playout.send(seconds(10));
  expect(state.bytes).toBe(8_000);
  expect(playout.queuedMs).toBe(10_000);
  pass(1_000);
  expect(state.bytes).toBe(16_000);
});

it('stops when no mark comes back', () => {
  const { playout, events, state, pass } = start();
  playout.send(seconds(10));
  pass(2_100);
  expect(state.bytes).toBe(16_000);
  playout.onMark(events.at(-1) ?? '');
  expect(state.bytes).toBe(24_000);
});

it('counts what was played by the clock, but no further than marks confirm', () => {
  const { playout, events, state } = start();
  playout.send(seconds(1));
  expect(events).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
  state.time = 150;
  expect(playout.playedMs).toBe(150);
  state.time = 500;
  expect(playout.playedMs).toBe(200);
  playout.onMark('m2');
  expect(playout.playedMs).toBe(400);
  state.time = 450;
  expect(playout.playedMs).toBe(400);
});

it('is busy until everything was played', () => {
  const { playout, events, pass } = start();
  expect(playout.isBusy).toBe(false);
  playout.send(seconds(2));
  pass(2_000);
  expect(playout.isBusy).toBe(true);
  for (const name of events) playout.onMark(name);
  expect(playout.playedMs).toBe(2_000);
  expect(playout.isBusy).toBe(false);
});

it('discards what was not played, and ignores marks that come back for it', () => {
  const { playout, events, state } = start();
  playout.send(seconds(3));
  state.time = 100;
  playout.clear();
  expect(playout.isBusy).toBe(false);
  expect(events.at(-1)).toBe('clear');
  expect([playout.playedMs, playout.queuedMs]).toEqual([100, 100]);
  for (const name of events) playout.onMark(name);
  state.time = 5_000;
  expect([playout.playedMs, playout.queuedMs]).toEqual([100, 100]);
  playout.send(seconds(1));
  expect(playout.queuedMs).toBe(1_100);
  playout.clear();
  playout.clear();
  expect(events.filter((one) => one === 'clear')).toHaveLength(2);
});

it('does not wait for ever for marks', () => {
  const { playout, pass } = start();
  playout.send(seconds(1));
  pass(3_200);
  expect(playout.isBusy).toBe(false);
  expect(playout.playedMs).toBe(1_000);
});

it('cuts frames across pieces of any length', () => {
  const sizes: number[] = [];
  const playout = createPlayout({
    now: () => 0,
    sendAudio: (frame) => void sizes.push(frame.length),
    sendMark: () => undefined,
    sendClear: () => undefined,
  });
  playout.send(seconds(1));
  for (const length of [1, 100, 400, 7]) playout.send(Buffer.alloc(length));
  expect(playout.queuedMs * 8).toBe(8_508);
  expect(new Set(sizes)).toEqual(new Set([160]));
});
