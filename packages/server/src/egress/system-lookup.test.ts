import { expect, it } from 'vitest';
import { oneAtATime } from './system-lookup.ts';

it('passes names on one at a time, domain by domain', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const lookUp = oneAtATime(async (host) => {
    begun.push(host);
    await new Promise<void>((resolve) => void ends.push(resolve));
    return [host];
  });
  const { signal } = new AbortController();
  const hosts = ['1.a.test', '2.a.test', '3.a.test', '1.b.test'];
  const found = hosts.map((host) => lookUp(host, signal));
  const inTurn = ['1.a.test', '2.a.test', '1.b.test', '3.a.test'];
  for (const [index] of inTurn.entries()) {
    await expect.poll(() => begun.length).toBe(index + 1);
    ends[index]?.();
  }
  expect(await Promise.all(found)).toEqual(hosts.map((host) => [host]));
  expect(begun.toSorted()).toEqual(hosts.toSorted());
  // Whoever asked for many names of one domain did not get all of them before another's first.
  expect(begun.indexOf('1.b.test')).toBeLessThan(3);
});
