import { type Comparison, compare, type Metric } from '../support/compare.ts';
import { fillWorkspace } from './fill-workspace.ts';
import { measureTurns } from './measure-turns.ts';
import type { Section } from './section.ts';
import { onStage } from './stage.ts';

const metrics: Metric[] = [
  { name: 'whole50', label: 'whole turn p50 ms', better: 'less', digits: 2, goal: { ratio: 1.3 } },
  { name: 'first50', label: 'first token p50 ms', better: 'less', digits: 2 },
  { name: 'processor', label: 'server CPU ms/turn', better: 'less', digits: 2 },
];

/** Whether a turn costs more after a long history. Both sides are ours: the baseline is a service without data. */
export const growth: Section = ({ quick, rounds, seconds, say }) =>
  onStage(async ({ generators: [generator], ours: fresh, startAnother }) => {
    const filling = { messages: quick ? 50_000 : 1_000_000, longest: 2_000 };
    const grown = await startAnother();
    const conversation = await fillWorkspace(grown, filling);
    say(`Growth: ${filling.messages} messages were written`);
    const load = { streams: 1, until: { seconds } };
    const plain = grown.job('at-once');
    const continued = {
      message: 'Where is my parcel?',
      external_user_id: `user of ${conversation}`,
      conversation_id: conversation,
    };
    const cases = [
      { what: `a conversation of ${filling.longest} messages`, job: { ...plain, body: continued } },
      { what: 'a new conversation', job: plain },
    ];
    const comparisons: Comparison[] = [];
    for (const { what, job } of cases) {
      comparisons.push(
        await compare({
          title: `A turn in ${what}, among ${filling.messages.toLocaleString('en')}, beside one in an empty service`,
          metrics,
          rounds,
          baseline: () => measureTurns(generator, fresh.pid, { ...fresh.job('at-once'), ...load }),
          ours: () => measureTurns(generator, grown.pid, { ...job, ...load }),
          onRound: say,
        }),
      );
    }
    return comparisons;
  });
