import { floods } from './fairness/floods.ts';
import { makePlace } from './fairness/place.ts';
import type { BenchmarkOptions } from './support/benchmark.ts';
import { createCleanUp } from './support/clean-up.ts';
import { compare, type Metric, type Sample } from './support/compare.ts';

const streams = 2;
const metrics: Metric[] = [
  { name: 'first95', label: 'first token p95 ms', better: 'less', digits: 1, goal: { ratio: 3 } },
  { name: 'whole50', label: 'whole turn p50 ms', better: 'less', digits: 1 },
  { name: 'whole95', label: 'whole turn p95 ms', better: 'less', digits: 1, goal: { ratio: 3 } },
];

/** The turns of one workspace while another floods the service, beside its turns without a flood. */
export async function fairness({ only, rounds, seconds, say, show }: BenchmarkOptions): Promise<void> {
  const unknown = only.filter((name) => !(name in floods));
  if (unknown.length > 0) {
    throw new Error(
      `fairness has no part ${unknown.join(', ')}: they are ${Object.keys(floods).join(', ')}.`,
    );
  }
  for (const [name, { title, limits = {}, begin }] of Object.entries(floods)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const cleanUp = createCleanUp();
    try {
      const place = await makePlace(cleanUp, limits);
      const measure = async (): Promise<Sample> => {
        const { generator, job } = place.quiet;
        const { first, whole } = await generator.run({ ...job, streams, until: { seconds } });
        return { first95: first.p95, whole50: whole.p50, whole95: whole.p95 };
      };
      const flooded = async (): Promise<Sample> => {
        const end = await begin(place);
        const sample = await measure();
        await end();
        return sample;
      };
      show(await compare({ title, metrics, rounds, baseline: measure, ours: flooded, onRound: say }));
    } finally {
      await cleanUp.run();
    }
  }
}
