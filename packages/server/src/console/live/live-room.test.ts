import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRoom } from './live-room.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const waiting = { approvals: 0, handoffs: 0 };

async function openRoom(listConversations = async () => []) {
  const counts = { ...waiting };
  const sent: Record<string, unknown>[] = [];
  const room = createRoom('w', {
    listConversations,
    countWaiting: async () => ({ ...counts }),
    log: pino({ level: 'silent' }),
  });
  await room.add({ send: (text) => void sent.push(JSON.parse(text)) });
  expect(sent.splice(0)).toEqual([{ type: 'waiting', ...waiting }]);
  /** What was sent within this time. */
  const within = async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return sent.splice(0);
  };
  return { room, counts, within };
}

const bots = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ object: 'bot' as const, id: `${index}` }));

it('sends each object that changed once, however often it changed', async () => {
  const { room, within } = await openRoom();
  room.note([...bots(2), ...bots(2)]);
  room.note(bots(1));
  expect(await within(100)).toEqual(bots(2).map((change) => ({ type: 'changed', ...change })));
  expect(await within(5_000)).toEqual([]);
});

it('makes one request to read again of too many changes, and of a failure', async () => {
  const list = vi.fn<() => Promise<[]>>().mockRejectedValueOnce(new Error('away'));
  const { room, within } = await openRoom(list);
  room.note(bots(200));
  expect(await within(100)).toHaveLength(200);
  room.note(bots(201));
  expect(await within(100)).toMatchObject([{ type: 'resync' }, { type: 'waiting' }]);
  room.note([{ object: 'conversation', id: 'c' }]);
  expect(await within(100)).toEqual([]);
  expect(await within(2_000)).toEqual([{ type: 'resync' }]);
});

it('tells what waits for people when that has changed, and only then', async () => {
  const { room, counts, within } = await openRoom();
  const change = () => room.note([{ object: 'approval', id: 'a' }]);
  const changed = { type: 'changed', object: 'approval', id: 'a' };
  counts.approvals = 1;
  change();
  expect(await within(100)).toEqual([changed, { type: 'waiting', approvals: 1, handoffs: 0 }]);
  change();
  expect(await within(100)).toEqual([changed]);
  room.note(bots(1));
  counts.approvals = 2;
  expect(await within(100)).toEqual([{ type: 'changed', ...bots(1)[0] }]);
});
