import type { Section } from '../chat/section.ts';
import type { Comparison } from '../support/compare.ts';
import { percentile } from '../support/numbers.ts';
import { measureUse } from '../support/processor-use.ts';
import { percentiles } from './percentiles.ts';
import { onStage } from './stage.ts';
import { withNoise } from './with-noise.ts';

const delays = { listening: 250, model: 350, speech: 100 };

/** How evenly packets come from calls that talk, beside the timer of a process that does nothing. */
export const pacing: Section = ({ quick, say }) =>
  onStage(delays, async ({ service, call }) => {
    const comparisons: Comparison[] = [];
    for (const calls of [1, 5, 20]) {
      const job = { calls, spreadMs: 3_000, turns: quick ? 2 : 4 };
      const { outcome: use, noise } = await withNoise(() =>
        measureUse({ service: [service.pid] }, () => call('short', job)),
      );
      const { outcome } = use;
      const errors = outcome.pacing.toSorted((left, right) => left - right);
      const milliseconds = use.spent['service'] ?? Number.NaN;
      const row = (label: string, share: number) => ({
        label,
        digits: 1,
        baseline: percentile(noise.timer, share),
        ours: percentile(errors, share),
      });
      comparisons.push({
        title: `Pacing, at the caller's end, calls at once: ${calls}; ${errors.length} packets beside the timer of an idle process`,
        results: [
          row('off their place, p50 ms', 0.5),
          { ...row('off their place, p99 ms', 0.99), goal: { most: 10 } },
          { label: 'longest time without a packet, ms', digits: 1, ours: Math.max(...outcome.gaps) },
          ...percentiles('last word to first sound', outcome.replies, { p50: 'no goal', p95: 'no goal' }),
          ...percentiles('answer to greeting', outcome.greetings, { p95: 'no goal' }),
          {
            label: 'processor of the service, ms per second of a call',
            digits: 1,
            ours: milliseconds / (use.milliseconds / 1_000) / calls,
          },
          ...noise.rows,
        ],
      });
      say(`Pacing: calls at once: ${calls}`);
    }
    return comparisons;
  });
