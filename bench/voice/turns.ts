import { waitAfter } from '../../packages/server/src/voice/talk/end-of-speech.ts';
import type { Section } from '../chat/section.ts';
import type { Result } from '../support/compare.ts';
import { percentile } from '../support/numbers.ts';
import { percentiles } from './percentiles.ts';
import { readTurnTimes } from './read-turn-times.ts';
import { onStage } from './stage.ts';
import { withNoise } from './with-noise.ts';

const delays = { listening: 250, model: 350, speech: 100 };
/** The clocks of caller and service are shifted by something else in every call, so there are many. */
const calls = 5;
const turnsPerCall = 3;
const waitMs = waitAfter('Where is my new order?');

/** Of real calls through the telephone network, July 2026: p50 and p95 of the same time in milliseconds. */
const others: [string, number, number][] = [
  ['Telnyx', 1_270, 2_015],
  ['ElevenLabs', 1_362, 1_633],
  ['Bland', 1_493, 2_162],
  ['Vapi', 1_508, 1_912],
  ['Retell', 1_814, 2_329],
];

/** From the caller's last word to the first sound of the reply, and what of it is ours. */
export const turns: Section = ({ quick, say }) =>
  onStage(delays, async ({ service, call }) => {
    const job = { calls, spreadMs: 2_000, turns: turnsPerCall };
    await call('short', { ...job, turns: 1 });
    const { outcome: replies, noise } = await withNoise(async () => {
      const measured: number[] = [];
      for (let round = 0; round < (quick ? 1 : 4); round += 1) {
        measured.push(...(await call('short', job)).replies);
        say(`Turns: ${measured.length} were answered`);
      }
      return measured;
    });
    const given = delays.listening + delays.model + delays.speech + waitMs;
    const times = await readTurnTimes(service);
    const sizes = `${replies.length} turns in ${calls} calls at once; listening ${delays.listening} ms, model ${delays.model} ms, speech ${delays.speech} ms`;
    return [
      {
        title: `Voice to voice, at the caller's end: ${sizes}`,
        results: [
          ...percentiles('last word to first sound', replies, { p50: { most: 1_050 }, p95: 'no goal' }),
          ...percentiles(
            `of it ours, without the providers and the ${waitMs} ms after the final text`,
            replies.map((reply) => reply - given),
            { p50: { most: 20 }, p95: { most: 50 } },
          ),
          ...percentiles('as the service counts: reply from the model', times.model, { p50: 'no goal' }),
          ...percentiles('as the service counts: speech from its provider', times.speech, { p50: 'no goal' }),
          ...noise.rows,
        ],
      },
      {
        title: 'The same beside others; theirs are real calls over the telephone network, which adds to them',
        results: others.flatMap(([name, p50, p95]) => besides(name, replies, { p50, p95 })),
      },
    ];
  });

function besides(name: string, replies: readonly number[], theirs: { p50: number; p95: number }): Result[] {
  const sorted = replies.toSorted((left, right) => left - right);
  const row = (share: 'p50' | 'p95', ours: number): Result => ({
    label: `${name}, ${share} ms`,
    digits: 0,
    baseline: theirs[share],
    ours,
    ratio: ours / theirs[share],
  });
  return [row('p50', percentile(sorted, 0.5)), row('p95', percentile(sorted, 0.95))];
}
