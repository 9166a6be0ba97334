import { createPacer } from '@svc/sip/media/pacer';
import type { Result } from '../support/compare.ts';
import { percentile } from '../support/numbers.ts';
import { measureUse } from '../support/processor-use.ts';
import { pacingOf } from './caller/pacing-of.ts';

/** What the machine did beside the work: without it, a delay could be the machine's or ours. */
export interface Noise {
  /** How far each tick of a timer of 20 ms was from its place, in this process, which does nothing else. Sorted, milliseconds. */
  timer: number[];
  rows: Result[];
}

export async function withNoise<Outcome>(
  work: () => Promise<Outcome>,
): Promise<{ outcome: Outcome; noise: Noise }> {
  const endTimer = startTimer();
  const { outcome, idle } = await measureUse({}, work);
  const timer = endTimer().toSorted((left, right) => left - right);
  return {
    outcome,
    noise: {
      timer,
      rows: [
        { label: 'noise: timer of an idle process, p99 ms off', digits: 1, ours: percentile(timer, 0.99) },
        { label: 'noise: idle share of the machine, %', digits: 0, ours: idle },
      ],
    },
  };
}

function startTimer(): () => number[] {
  const ticks: { at: number; place: number }[] = [];
  let place = 0;
  const stop = createPacer({
    onError(error) {
      throw error;
    },
  }).add({
    play(frames) {
      place += 20 * frames;
      ticks.push({ at: performance.now(), place });
    },
    listen: () => undefined,
  });
  return () => {
    stop();
    return pacingOf(ticks).pacing;
  };
}
