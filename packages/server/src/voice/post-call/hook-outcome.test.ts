import { expect, it } from 'vitest';
import { failedHook, uncertainHook } from './hook-outcome.ts';

it('holds what PostgreSQL can store, and not more than is worth showing', () => {
  const outcome = failedHook(`a\0b\ud800${'x'.repeat(1_000)}`, { text: 'a\0b', list: ['\ud800'] });
  expect(outcome).toMatchObject({ status: 'error', result: { text: 'ab', list: ['\ufffd'] } });
  expect(outcome.error).toMatch(/^ab\ufffdx+…$/);
  expect(outcome.error).toHaveLength(500);
  const large = uncertainHook('Late.', 'y'.repeat(100_000));
  expect(large).toMatchObject({ status: 'unknown', result: { truncated: expect.stringMatching(/^"y+…$/) } });
  expect(JSON.stringify(large.result).length).toBeLessThan(17_000);
});
