import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { runJob } from './run-job.ts';

const queue = {
  name: 'letters',
  retryLimit: 0,
  retryDelaySeconds: 1,
  retryDelayMaxSeconds: 1,
  expireSeconds: 3600,
};
const job = {
  id: 'one',
  name: 'letters',
  data: {},
  retryCount: 0,
  expireInSeconds: 60,
  heartbeatSeconds: null,
  signal: new AbortController().signal,
};

it('nothing of a job is kept when it has ended', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const stopping = new AbortController().signal;
  const signals: WeakRef<AbortSignal>[] = [];
  const handler = async (_data: object, signal: AbortSignal) => {
    signals.push(new WeakRef(signal));
    // As most do that wait for something.
    signal.addEventListener('abort', () => undefined);
  };
  for (let count = 0; count < 20; count += 1) {
    const lost = new AbortController().signal;
    await runJob(job, lost, { queue, handler, stopping, log: pino({ level: 'silent' }) });
  }
  expect(getEventListeners(stopping, 'abort')).toEqual([]);
  // What a weak reference has just shown is kept until the current job of the event loop has ended.
  await expect
    .poll(() => {
      collect();
      return signals.filter((signal) => signal.deref()).length;
    })
    .toBeLessThanOrEqual(1);
});
