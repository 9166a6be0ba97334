import { setTimeout as sleep } from 'node:timers/promises';

const pauseMilliseconds = 1_000;
const maxWaiting = 10_000;
let waiting = 0;

/**
 * Delays the answer that a rate limit is exceeded. A client that retries immediately would otherwise be refused thousands of
 * times a second, at the cost of everyone else. The delay is never longer than Retry-After says.
 */
export async function pauseRefusal(): Promise<void> {
  // This many are not one client in a loop, and delaying more would only use memory.
  if (waiting >= maxWaiting) return;
  waiting += 1;
  try {
    await sleep(pauseMilliseconds);
  } finally {
    waiting -= 1;
  }
}
