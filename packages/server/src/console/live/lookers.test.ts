import type { Looker } from '@svc/contract/live';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Bus, Subscriber } from '../../bus/bus.ts';
import { createLookers } from './lookers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A console of this process, and a bus on which other processes can be played. */
function enter() {
  const subscribers: Subscriber<unknown>[] = [];
  let greeting: (key: string) => unknown = () => undefined;
  const bus = {
    publish: (_kind, _key, message) => {
      for (const subscriber of subscribers) subscriber.onMessage(message, 'here');
    },
    subscribe: (_kind, _key, subscriber) => {
      subscribers.push(subscriber);
      return { end: () => void subscribers.splice(0) } as never;
    },
    greet: (_kind, given) => {
      greeting = given;
    },
  } as Pick<Bus, 'publish' | 'subscribe' | 'greet'>;
  const shown: Looker[][] = [];
  const place = createLookers(bus).enter('c', { id: 'a', name: 'Ada' }, (lookers) => shown.push(lookers));
  const hear = (isTyping: boolean, fields = {}) => {
    const look = { console: 'g', id: 'g', name: 'Grace', isTyping, isOver: false, ...fields };
    for (const subscriber of subscribers) subscriber.onMessage([look], 'elsewhere');
  };
  return { place, hear, shown, subscribers, greeted: () => greeting('c') };
}

const grace = (is_typing: boolean) => [{ id: 'g', name: 'Grace', is_typing }];

it('shows a change once, and nobody who was not heard of for a while', async () => {
  const { hear, shown } = enter();
  hear(true);
  hear(true);
  expect(shown.splice(0)).toEqual([grace(true)]);
  await vi.advanceTimersByTimeAsync(6_100);
  expect(shown.splice(0)).toEqual([grace(false)]);
  await vi.advanceTimersByTimeAsync(5_000);
  hear(false);
  await vi.advanceTimersByTimeAsync(11_500);
  expect(shown.splice(0)).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shown).toEqual([[]]);
  expect(vi.getTimerCount()).toBe(0);
});

it('greets other processes with its own, and needs nothing once it has left', () => {
  const { place, hear, subscribers, greeted } = enter();
  expect(greeted()).toBeUndefined();
  hear(false);
  place.look(true);
  expect(greeted()).toEqual([expect.objectContaining({ id: 'a', isTyping: true })]);
  place.leave();
  expect(greeted()).toBeUndefined();
  expect(subscribers).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it('refuses what is not a look', () => {
  const { hear } = enter();
  expect(() => hear(false, { name: 7 })).toThrow('These do not look at anything.');
});
