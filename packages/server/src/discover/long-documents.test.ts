import { expect, it } from 'vitest';
import { createLongDocuments } from './long-documents.ts';

const { signal } = new AbortController();

it('lets a workspace have two, and leaves the rest to others', async () => {
  const { enter } = createLongDocuments();
  const order: string[] = [];
  const [first] = await Promise.all([enter('a', signal), enter('a', signal)]);
  const third = enter('a', signal).then(() => order.push('a'));
  await enter('b', signal);
  order.push('b');
  first?.();
  first?.();
  await third;
  expect(order).toEqual(['b', 'a']);
});

it('refuses those of a workspace that has too many waiting', async () => {
  const { enter } = createLongDocuments();
  const leaving = new AbortController();
  await Promise.all([enter('a', signal), enter('a', signal)]);
  const waiting = Array.from({ length: 20 }, () => enter('a', leaving.signal));
  await expect(enter('a', signal)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  leaving.abort(new Error('gone'));
  for (const ended of await Promise.allSettled(waiting)) expect(ended.status).toBe('rejected');
  await enter('b', signal);
});
