import { setTimeout as delay } from 'node:timers/promises';
import { residentKilobytes } from '../support/process-figures.ts';
import type { Section } from './section.ts';
import { type Contender, onStage } from './stage.ts';

const streams = 16;
const restMilliseconds = 2_000;
/** A process that does not grow still breathes: garbage is collected when the collector likes. */
const flat = 1.15;

/** Whether memory stays where it is, however many turns were served. PostgreSQL is apart. */
export const memory: Section = ({ quick, say }) =>
  onStage(async ({ generators: [generator], baseline, ours }) => {
    const [early, late] = quick ? [200, 1000] : [2_000, 10_000];
    const steps = [0, early, (early + late) / 2, late];

    const grow = async (contender: Contender): Promise<number[]> => {
      const megabytes: number[] = [];
      let served = 0;
      for (const turns of steps) {
        const job = { ...contender.job('at-once'), streams, until: { turns: turns - served } };
        if (turns > 0) await generator.run(job);
        served = turns;
        await delay(restMilliseconds);
        megabytes.push(((await residentKilobytes(contender.pid)) ?? Number.NaN) / 1024);
        say(`Memory after ${turns} turns: ${megabytes.at(-1)?.toFixed(0)} MB`);
      }
      return megabytes;
    };

    const [left, right] = [await grow(baseline), await grow(ours)];
    const line = (index: number) => ({
      label: index === 0 ? 'MB started' : `MB after ${steps[index]} turns`,
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
