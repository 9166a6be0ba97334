import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { hashRequest } from './hash-request.ts';

const long = 'x'.repeat(2 * 1024 * 1024);

it('is that of the canonical JSON while no text is long', async () => {
  const request = { operation: 'POST /a', body: { b: [1, 'two'], a: null }, params: {} };
  const plain = createHash('sha256').update(canonicalJson(request)).digest('hex');
  expect(await hashRequest(request)).toBe(plain);
});

it('is the same for equal long texts, and another for texts that differ anywhere', async () => {
  const hash = await hashRequest({ body: { text: long, more: [long] } });
  expect(await hashRequest({ body: { more: [long], text: long } })).toBe(hash);
  const half = Math.floor(long.length / 2);
  const others = [`${long}x`, `y${long.slice(1)}`, `${long.slice(0, half)}y${long.slice(half + 1)}`];
  for (const text of others) expect(await hashRequest({ body: { text, more: [long] } })).not.toBe(hash);
  expect(await hashRequest({ body: { text: long, more: ['x'] } })).not.toBe(hash);
});

it('lets other work run meanwhile', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await hashRequest({ body: { documentation: long } });
  isOver = true;
  // Once after each piece of 256 K characters.
  expect(turns).toBeGreaterThanOrEqual(7);
});
