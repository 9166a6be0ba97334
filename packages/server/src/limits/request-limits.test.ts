import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMemoryCounter } from './memory-counter.ts';
import { createRequestLimits } from './request-limits.ts';

it('limits attempts to sign in by person and network, by network, and by person everywhere', async () => {
  const { countSignIn } = createRequestLimits({
    counter: createMemoryCounter(),
    perMinute: undefined,
    keyedHash: (text) => createHash('sha256').update(text).digest(),
  });
  /** How many of so many attempts were let through. */
  async function countAdmitted(attempts: number, attempt: (index: number) => [string, string?]) {
    let admitted = 0;
    for (let index = 0; index < attempts; index += 1)
      if (!(await countSignIn(...attempt(index))).isOver) admitted += 1;
    return admitted;
  }
  expect(await countAdmitted(12, () => ['192.0.2.1', 'ada'])).toBe(10);
  expect(await countAdmitted(12, () => ['192.0.2.1', 'grace'])).toBe(10);
  expect(await countAdmitted(105, () => ['192.0.2.2'])).toBe(100);
  expect(await countAdmitted(1, () => ['192.0.2.2', 'mary'])).toBe(0);
  const everywhere = await countAdmitted(105, (index) => [`198.51.${index}.1`, 'mary']);
  expect(everywhere).toBe(100);
});
