import { setTimeout as sleep } from 'node:timers/promises';

const pauseMilliseconds = 1_000;
const mostAtOnce = 10_000;
let waiting = 0;

/**
 * Lets whoever asks too often wait for the answer that says so. A client that asks again as soon as it is refused would
 * otherwise be answered thousands of times a second, and take that time from everybody else. Nobody loses by it: all are
 * told to come back later than that.
 */
export async function pauseRefusal(): Promise<void> {
  // So many at once are not a loop, and would only fill the memory.
  if (waiting >= mostAtOnce) return;
  waiting += 1;
  try {
    await sleep(pauseMilliseconds);
  } finally {
    waiting -= 1;
  }
}
