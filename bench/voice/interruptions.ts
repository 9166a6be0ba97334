import type { Section } from '../chat/section.ts';
import { percentiles } from './percentiles.ts';
import { onStage } from './stage.ts';
import { withNoise } from './with-noise.ts';

const delays = { listening: 250, model: 0, speech: 20 };

/** From the first sound of a caller who interrupts to the last one of the bot, alone and beside many others. */
export const interruptions: Section = ({ quick, say }) =>
  onStage(delays, async ({ call }) => {
    const comparisons = [];
    for (const calls of [2, 20]) {
      const turns = quick ? 3 : calls > 2 ? 5 : 12;
      const job = { calls, spreadMs: 4_000, turns, interruptAfterMs: 900 };
      const { outcome, noise } = await withNoise(() => call('long', job));
      const { stops } = outcome;
      say(`Interruptions: ${stops.length} in ${calls} calls at once`);
      comparisons.push({
        title: `Interruptions, at the caller's end: ${stops.length} in ${calls} calls at once`,
        results: [
          ...percentiles('first sound of the caller to last sound of the bot', stops, {
            p50: 'no goal',
            p95: { most: 300 },
          }),
          ...noise.rows,
        ],
      });
    }
    return comparisons;
  });
