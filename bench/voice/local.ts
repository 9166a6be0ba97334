import type { Section } from '../chat/section.ts';
import { percentiles } from './percentiles.ts';
import { onStage } from './stage.ts';
import { withNoise } from './with-noise.ts';

/** Voice to voice with speech of this machine: Silero, Moonshine and flite, and a model that answers at once. */
export const local: Section = ({ quick, say }) =>
  onStage({ isLocal: true, listening: 0, model: 0, speech: 0 }, async ({ call }) => {
    // Models are loaded with the first call.
    const first = await call('short', { calls: 1, spreadMs: 0, turns: 1 });
    const job = { calls: 1, spreadMs: 0, turns: quick ? 3 : 8 };
    const { outcome, noise } = await withNoise(() => call('short', job));
    const { replies, greetings } = outcome;
    say(`Local: ${replies.length} turns were answered`);
    return [
      {
        title: `Voice to voice with local speech and a model that answers at once: ${replies.length} turns of one call`,
        results: [
          ...percentiles('last word to first sound', replies, { p50: { most: 1_500 }, p95: 'no goal' }),
          ...percentiles('the first turn of a service', first.replies, { p50: 'no goal' }),
          ...percentiles('answer to greeting', [...first.greetings, ...greetings], {
            p50: { most: 500 },
            p95: { most: 500 },
          }),
          ...noise.rows,
        ],
      },
    ];
  });
