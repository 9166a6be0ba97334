import { expect, it } from 'vitest';
import { ServiceStopped } from '../../jobs/queue.ts';
import { hasGivenUp } from './give-up-hooks.ts';

it('gives up after the last attempt, unless it was taken away or the service stops', () => {
  const open = new AbortController().signal;
  const overdue = AbortSignal.abort(new DOMException('It took longer.', 'TimeoutError'));
  expect(hasGivenUp(true, open)).toBe(true);
  expect(hasGivenUp(true, overdue)).toBe(true);
  expect(hasGivenUp(false, open)).toBe(false);
  expect(hasGivenUp(false, overdue)).toBe(false);
  expect(hasGivenUp(true, AbortSignal.abort(new ServiceStopped('Stopped.')))).toBe(false);
  expect(hasGivenUp(true, AbortSignal.abort(new Error('Another node has taken over this job.')))).toBe(false);
});
