import type { Sample } from '../support/compare.ts';
import type { TurnsJob } from '../support/generator/job.ts';
import type { Generator } from '../support/generator/start.ts';
import { processorMilliseconds } from '../support/process-figures.ts';

/** Sends turns and looks at the clock, and at what the server's process spent meanwhile. */
export async function measureTurns(generator: Generator, pid: number, job: TurnsJob): Promise<Sample> {
  const before = await processorMilliseconds(pid);
  const { turns, milliseconds, first, whole, lag } = await generator.run(job);
  const after = await processorMilliseconds(pid);
  return {
    rate: turns / (milliseconds / 1000),
    first50: first.p50,
    first95: first.p95,
    whole50: whole.p50,
    ...(lag && { lag50: lag.p50, lag95: lag.p95 }),
    ...(before !== undefined && after !== undefined && { processor: (after - before) / turns }),
  };
}
