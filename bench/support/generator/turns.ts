import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../numbers.ts';
import type { Spread, TurnsJob, TurnsOutcome } from './job.ts';
import { runTurn, type Turn } from './turn.ts';

/** Several turns at once, each stream one after the other. */
export async function runTurns(job: TurnsJob): Promise<TurnsOutcome> {
  const { streams, until, spreadMilliseconds = 0 } = job;
  const turns: Turn[] = [];
  const started = performance.now();
  let begun = 0;
  let last = started;

  const goesOn = () =>
    'turns' in until ? begun < until.turns : performance.now() - started < until.seconds * 1000;

  async function runStream(index: number): Promise<void> {
    await delay((spreadMilliseconds * index) / streams);
    while (goesOn()) {
      begun += 1;
      turns.push(await runTurn(job));
      last = performance.now();
    }
  }

  await Promise.all(Array.from({ length: streams }, (_, index) => runStream(index)));
  const lags = turns.flatMap((turn) => turn.lags);
  return {
    turns: turns.length,
    milliseconds: last - started,
    first: spread(turns.map((turn) => turn.first)),
    whole: spread(turns.map((turn) => turn.whole)),
    ...(lags.length > 0 && { lag: spread(lags) }),
  };
}

function spread(numbers: number[]): Spread {
  const sorted = numbers.toSorted((left, right) => left - right);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
}
