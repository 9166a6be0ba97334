import { availableParallelism } from 'node:os';
import type { Section } from '../chat/section.ts';
import type { Contender } from '../chat/stage.ts';
import { type Comparison, type Metric, measureInTurn, type Sample, toResults } from '../support/compare.ts';
import { measureUse, shareOfMachine } from '../support/processor-use.ts';
import type { MeasuredProcess } from '../support/start-process.ts';
import { onStage, type Stage } from './stage.ts';

const streams = 48;
const rate: Metric = { name: 'rate', label: 'turns/s', better: 'more', digits: 0 };
const all: Metric = {
  name: 'all',
  label: 'CPU ms/turn: service, PostgreSQL and Redis',
  better: 'less',
  digits: 2,
};
const share = (name: string): Metric => ({
  name: `% ${name}`,
  label: `% of the machine: ${name}`,
  digits: 0,
});
const shown: Metric[] = [
  rate,
  { name: 'whole50', label: 'whole turn p50 ms', better: 'less', digits: 1 },
  all,
  { name: 'service', label: 'CPU ms/turn: service', better: 'less', digits: 2 },
  { name: 'PostgreSQL', label: 'CPU ms/turn: PostgreSQL', better: 'less', digits: 2 },
  ...['service', 'PostgreSQL', 'Redis', 'model', 'client', 'anything else', 'idle'].map(share),
];
const besideRelay = [rate, all].map((metric) => ({ ...metric, label: `${metric.label} (baseline: relay)` }));

/** What more processes or nodes bring on this machine, which also runs PostgreSQL, the model and the client. */
export const turns: Section = ({ rounds, seconds, say }) =>
  onStage(async (stage) => {
    const plain = await stage.startFleet();
    const [two, three] = [await stage.startFleet({ processes: 2 }), await stage.startFleet({ processes: 3 })];
    const fleet = await stage.startFleet({ nodes: 3, redis: true });
    const relay = await stage.startRelay();
    const use = { stage, seconds };
    const ofNodes = (count: number) => () => measure(use, fleet, fleet.nodes.slice(0, count), fleet.redis);
    const cores = availableParallelism();
    const title = `First messages: 60 tokens at once, ${streams} at a time, ${cores} cores for everything`;
    const { theRelay, oneProcess, ...others } = await measureInTurn(
      {
        theRelay: () => measure(use, relay, [relay]),
        oneProcess: () => measure(use, plain, plain.nodes),
        twoProcesses: () => measure(use, two, two.nodes),
        threeProcesses: () => measure(use, three, three.nodes),
        oneNode: ofNodes(1),
        twoNodes: ofNodes(2),
        threeNodes: ofNodes(3),
      },
      { title: `Nodes: ${title}`, rounds, onRound: say },
    );
    const beside = (name: string, samples: Sample[]): Comparison => ({
      title: `${title}: ${name}, beside one process`,
      results: [...toResults(shown, oneProcess, samples), ...toResults(besideRelay, theRelay, samples)],
    });
    return [
      {
        title: `${title}: one process, beside a relay that writes two rows`,
        results: toResults(shown, theRelay, oneProcess),
      },
      beside('SVC_PROCESSES=2', others.twoProcesses),
      beside('SVC_PROCESSES=3', others.threeProcesses),
      beside('one node of three with Redis', others.oneNode),
      beside('two nodes of three with Redis', others.twoNodes),
      beside('three nodes with Redis', others.threeNodes),
    ];
  });

/** Messages go to the targets one after the other. */
async function measure(
  { stage: { generators, model, postgres }, seconds }: { stage: Stage; seconds: number },
  contender: Contender,
  targets: readonly MeasuredProcess[],
  redis?: MeasuredProcess,
): Promise<Sample> {
  const [generator] = generators;
  const job = contender.job('at-once', 'new');
  const path = new URL(job.url).pathname;
  const parts = {
    service: targets.map(({ pid }) => pid),
    PostgreSQL: [postgres.pid],
    Redis: redis ? [redis.pid] : [],
    model: [model.pid],
    client: [generator.pid],
  };
  const url = targets.map((target) => target.url + path);
  const { outcome, milliseconds, spent, idle } = await measureUse(parts, () =>
    generator.run({ ...job, url, streams, until: { seconds } }),
  );
  const { service = 0, PostgreSQL = 0, Redis = 0 } = spent;
  const total = Object.values(spent).reduce((sum, time) => sum + time, 0);
  const shares = Object.entries(spent).map(([name, time]) => [
    `% ${name}`,
    shareOfMachine(time, milliseconds),
  ]);
  return {
    rate: outcome.turns / (outcome.milliseconds / 1000),
    whole50: outcome.whole.p50,
    all: (service + PostgreSQL + Redis) / outcome.turns,
    service: service / outcome.turns,
    PostgreSQL: PostgreSQL / outcome.turns,
    ...(Object.fromEntries(shares) as Sample),
    '% anything else': 100 - idle - shareOfMachine(total, milliseconds),
    '% idle': idle,
  };
}
