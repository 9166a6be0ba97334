import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMemoryCounter } from './memory-counter.ts';
import { rememberRefusals } from './remember-refusals.ts';
import type { Quota, RequestCounter } from './request-counter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A counter that several nodes share, with the number of times that it was used. */
function createShared() {
  const counter = createMemoryCounter();
  const shared = { uses: 0 };
  const add: RequestCounter['add'] = (quotas) => {
    shared.uses += 1;
    return counter.add(quotas);
  };
  return Object.assign(shared, { node: () => rememberRefusals({ ...counter, add }) });
}

const quota = (limit: number, more: Partial<Quota> = {}): Quota => ({
  name: 'a',
  limit,
  windowSeconds: 60,
  ...more,
});

it('refuses without the counter until the window ends', async () => {
  const shared = createShared();
  const node = shared.node();
  for (let index = 0; index < 3; index += 1) await node.add([quota(2)]);
  expect(shared.uses).toBe(3);
  vi.advanceTimersByTime(15_000);
  for (let index = 0; index < 100; index += 1) {
    const counted = await node.add([quota(2)]);
    expect(counted).toMatchObject({ isAdmitted: false, count: 2, millisecondsLeft: 45_000 });
  }
  expect(shared.uses).toBe(3);
  vi.advanceTimersByTime(45_000);
  expect(await node.add([quota(2)])).toMatchObject({ isAdmitted: true, count: 1 });
});

it('does not refuse what a higher limit admits, nor those who only share a wider quota', async () => {
  const shared = createShared();
  const node = shared.node();
  const workspace: Quota = { name: 'workspace', limit: 10, windowSeconds: 60 };
  for (let index = 0; index < 3; index += 1) await node.add([quota(2), workspace]);
  expect(await node.add([quota(3), workspace])).toMatchObject({ isAdmitted: true });
  expect(await node.add([{ ...quota(2), name: 'b' }, workspace])).toMatchObject({ isAdmitted: true });
});

it('does not remember what this process has counted on its own', async () => {
  const memory = createMemoryCounter();
  let uses = 0;
  const add: RequestCounter['add'] = async (quotas) => {
    uses += 1;
    return { ...(await memory.add(quotas)), isLocal: true };
  };
  const node = rememberRefusals({ ...memory, add });
  for (let index = 0; index < 5; index += 1) await node.add([quota(1)]);
  expect(uses).toBe(5);
});

it('looks again after a second where requests can be taken back, and immediately if this node does', async () => {
  const shared = createShared();
  const [one, other] = [shared.node(), shared.node()];
  const revocable = [quota(1, { isRevocable: true })];
  const first = await one.add(revocable);
  expect(await one.add(revocable)).toMatchObject({ isAdmitted: false });
  expect(await other.add(revocable)).toMatchObject({ isAdmitted: false });
  await one.takeBack(first);
  expect(await other.add(revocable)).toMatchObject({ isAdmitted: false });
  expect(shared.uses).toBe(3);
  expect(await one.add(revocable)).toMatchObject({ isAdmitted: true });
  vi.advanceTimersByTime(1_000);
  const later = await Promise.all(Array.from({ length: 10 }, () => other.add(revocable)));
  expect(later.map(({ isAdmitted }) => isAdmitted)).not.toContain(true);
  expect(shared.uses).toBe(5);
});
