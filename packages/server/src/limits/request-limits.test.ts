import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMemoryCounter } from './memory-counter.ts';
import { createRequestLimits } from './request-limits.ts';

it('limits attempts to sign in by browser, or by person and network and by person everywhere', async () => {
  const { countSignIn, countBadLink, countPasswordCheck } = createRequestLimits({
    counter: createMemoryCounter(),
    perMinute: undefined,
    keyedHash: (text) => createHash('sha256').update(text).digest(),
  });
  /** How many of so many attempts were let through. */
  async function countAdmitted(attempts: number, attempt: (index: number) => Promise<{ isOver: boolean }>) {
    let admitted = 0;
    for (let index = 0; index < attempts; index += 1) if (!(await attempt(index)).isOver) admitted += 1;
    return admitted;
  }
  const stranger = (address: string, person: string) => countSignIn({ person, address, browser: undefined });
  const known = (browser: string) => countSignIn({ person: 'ada', address: '192.0.2.1', browser });
  expect(await countAdmitted(12, () => stranger('192.0.2.1', 'ada'))).toBe(10);
  expect(await countAdmitted(12, () => stranger('192.0.2.1', 'grace'))).toBe(10);
  expect(await countAdmitted(105, (index) => stranger(`198.51.${index}.1`, 'ada'))).toBe(90);
  expect(await countAdmitted(12, () => known('one'))).toBe(10);
  expect(await countAdmitted(12, () => known('two'))).toBe(10);

  // A network is slowed down, never refused.
  expect((await stranger('192.0.2.2', 'mary')).isPaced).toBe(false);
  expect(await countAdmitted(110, (index) => stranger('192.0.2.2', `nobody-${index}`))).toBe(110);
  expect(await stranger('192.0.2.2', 'mary')).toMatchObject({ isOver: false, isPaced: true });

  expect(await countAdmitted(105, () => countBadLink('192.0.2.1', 'reset'))).toBe(100);
  expect(await countAdmitted(1, () => countBadLink('192.0.2.1', 'setup'))).toBe(1);
  expect(await countAdmitted(12, () => countPasswordCheck('ada'))).toBe(10);
});
