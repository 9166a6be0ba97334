import { describe, expect, it } from 'vitest';
import { createTimeScale } from './time-scale.ts';

const work = (start: number, end: number) => ({ start, end, isWaiting: false });
const wait = (start: number, end: number) => ({ start, end, isWaiting: true });

describe('a scale without long waits', () => {
  const scale = createTimeScale([work(1_000, 2_000), wait(2_000, 2_500), work(2_500, 5_000)]);
  it('is linear', () => {
    expect(scale.at(1_000)).toBe(0);
    expect(scale.at(3_000)).toBe(0.5);
    expect(scale.at(5_000)).toBe(1);
    expect(scale.breaks).toEqual([]);
  });
  it('has round ticks', () => {
    expect(scale.ticks.map(({ milliseconds }) => milliseconds)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  });
});

describe('a scale with a long wait', () => {
  const minutes = 14 * 60_000;
  const scale = createTimeScale([
    work(0, 2_000),
    wait(2_000, 2_000 + minutes),
    work(2_000 + minutes, 3_000 + minutes),
  ]);
  it('draws it as a break that leaves the room to the work', () => {
    expect(scale.breaks).toMatchObject([{ milliseconds: minutes }]);
    expect(scale.breaks[0]?.width).toBeLessThan(0.1);
    expect(scale.at(2_000)).toBeGreaterThan(0.6);
    expect(1 - scale.at(2_000 + minutes)).toBeGreaterThan(0.3);
  });
  it('keeps the order of all moments', () => {
    const moments = [0, 500, 2_000, 60_000, 2_000 + minutes, 3_000 + minutes].map(scale.at);
    expect(moments).toEqual(moments.toSorted((one, other) => one - other));
    expect(moments.at(-1)).toBeCloseTo(1);
  });
  it('labels only moments before it', () => {
    expect(scale.ticks.every(({ milliseconds }) => milliseconds <= 2_000)).toBe(true);
  });
});

it('breaks a wait between turns of work that is not reported', () => {
  expect(createTimeScale([work(0, 1_000), work(60_000, 61_000)]).breaks).toHaveLength(1);
});

it('draws nothing but a wait as it is', () => {
  const scale = createTimeScale([wait(0, 60_000)]);
  expect(scale.breaks).toEqual([]);
  expect(scale.at(30_000)).toBe(0.5);
});

it('copes with no time at all', () => {
  expect(createTimeScale([]).at(5)).toBe(0);
  expect(createTimeScale([work(5, 5)]).totalMilliseconds).toBe(0);
});
