import { setTimeout as delay } from 'node:timers/promises';
import { residentKilobytes } from '../support/process-figures.ts';
import type { Section } from './section.ts';
import { type Contender, onStage } from './stage.ts';

const streams = 16;
const restMilliseconds = 2_000;
/** Memory fluctuates even without growth, because garbage is collected at any time. */
const flat = 1.15;

/** Whether memory stays constant, however many turns were served. PostgreSQL is not included. */
export const memory: Section = ({ quick, say }) =>
  onStage(async ({ generators: [generator], baseline, ours }) => {
    // By the first measurement Node has reached its working size, most of it garbage; from there on it should be flat.
    const [early, late] = quick ? [200, 1000] : [5_000, 15_000];
    const steps = [early, (early + late) / 2, late];
    // Both at once and first of all: a process that has to wait collects its garbage meanwhile.
    const started = [await megabytes(baseline), await megabytes(ours)];

    const grow = async (contender: Contender): Promise<number[]> => {
      const seen: number[] = [];
      let served = 0;
      for (const turns of steps) {
        await generator.run({ ...contender.job('at-once'), streams, until: { turns: turns - served } });
        served = turns;
        await delay(restMilliseconds);
        seen.push(await megabytes(contender));
        say(`Memory after ${turns} turns: ${seen.at(-1)?.toFixed(0)} MB`);
      }
      return seen;
    };

    const left = [...started.slice(0, 1), ...(await grow(baseline))];
    const right = [...started.slice(1), ...(await grow(ours))];
    const line = (index: number) => ({
      label: index === 0 ? 'MB started' : `MB after ${steps[index - 1]} turns`,
      digits: 0,
      baseline: left[index] ?? Number.NaN,
      ours: right[index] ?? Number.NaN,
      ratio: (right[index] ?? Number.NaN) / (left[index] ?? Number.NaN),
    });
    const growth = (right[3] ?? Number.NaN) / (right[1] ?? Number.NaN);
    return [
      {
        title: 'Memory, 16 turns at a time',
        results: [
          { ...line(0), goal: { most: 200 } },
          ...[1, 2, 3].map(line),
          {
            label: `after ${late} as a multiple of after ${early}`,
            digits: 2,
            baseline: (left[3] ?? Number.NaN) / (left[1] ?? Number.NaN),
            ours: growth,
            goal: { most: flat },
          },
        ],
      },
    ];
  });

async function megabytes({ pid }: Contender): Promise<number> {
  return ((await residentKilobytes(pid)) ?? Number.NaN) / 1024;
}
