import type { Section } from '../chat/section.ts';
import { percentiles } from './percentiles.ts';
import { onStage } from './stage.ts';

const delays = { listening: 250, model: 350, speech: 100 };

/** From the answer of a call to the first sound of the greeting. */
export const greeting: Section = ({ quick, say }) =>
  onStage(delays, async ({ call }) => {
    const greetings: number[] = [];
    for (let count = 0; count < (quick ? 3 : 10); count += 1) {
      const outcome = await call('short', { calls: 1, spreadMs: 0, turns: 0 });
      greetings.push(...outcome.greetings);
    }
    say(`Greeting: ${greetings.length} calls`);
    const [first = Number.NaN, ...later] = greetings;
    return [
      {
        title: `Answer to first sound of the greeting: ${greetings.length} calls, one after the other; speech ${delays.speech} ms`,
        results: [
          { label: 'the first call of a service, ms', digits: 1, ours: first, goal: { most: 500 } },
          ...percentiles('later ones', later, { p50: { most: 500 }, p95: { most: 500 } }),
        ],
      },
    ];
  });
