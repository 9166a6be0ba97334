import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { ProcessSnapshot } from '../metrics/scraper.ts';
import { createCrew } from './crew.ts';
import type { WorkerEnd, WorkerProcess } from './worker-process.ts';

it('collects metrics for every place, even if its worker is silent or gone', async () => {
  const ends: ((end: WorkerEnd) => void)[] = [];
  let collect: () => Promise<ProcessSnapshot[]> = () => Promise.resolve([]);
  const crew = createCrew(pino({ enabled: false }), (collectMetrics): WorkerProcess => {
    collect = collectMetrics;
    const ended = Promise.withResolvers<WorkerEnd>();
    const place = ends.push(ended.resolve);
    const ignore = () => undefined;
    return {
      processId: place,
      listen: async (port) => port,
      open: () => Promise.reject(new Error('not needed')),
      serve: ignore,
      stop: ignore,
      kill: ignore,
      readMetrics: async () => (place === 2 ? undefined : []),
      ended: ended.promise,
    };
  });
  crew.start(3);
  ends[2]?.({ code: 1, signal: null, reason: undefined, nodeId: undefined });
  await expect.poll(collect).toEqual([
    { process: 1, metrics: [] },
    { process: 2, metrics: undefined },
    { process: 3, metrics: undefined },
  ]);
});
