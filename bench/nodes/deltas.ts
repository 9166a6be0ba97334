import type { Section } from '../chat/section.ts';
import { type Comparison, type Metric, measureInTurn, type Sample, toResults } from '../support/compare.ts';
import { secondsPerTurn } from '../support/generator/job.ts';
import { readProcesses } from '../support/process-figures.ts';
import { type FollowOutcome, follow, type Readers } from './follow.ts';
import { type Fleet, nodeOf, onStage, type Stage } from './stage.ts';

const streams = 40;
const cpu = (name: string, label: string): Metric => ({
  name,
  label: `CPU µs/token: ${label}`,
  better: 'less',
  digits: 1,
});
const lags: Metric[] = [
  { name: 'sender50', label: 'sender: token lag p50 ms', better: 'less', digits: 1 },
  { name: 'sender95', label: 'sender: token lag p95 ms', better: 'less', digits: 1 },
  { name: 'lag50', label: 'reader: token lag p50 ms', better: 'less', digits: 1 },
  { name: 'lag95', label: 'reader: token lag p95 ms', better: 'less', digits: 1 },
];
const metrics: Metric[] = [
  cpu('all', 'service, PostgreSQL and Redis'),
  cpu('service', 'service'),
  { name: 'owner', label: 'CPU µs/token: node of the turn', digits: 1 },
  { name: 'other', label: 'CPU µs/token: the other node', digits: 1 },
  { name: 'carrier', label: 'CPU µs/token: Redis, or the supervisor', digits: 1 },
  cpu('PostgreSQL', 'PostgreSQL'),
  ...lags,
];
/** The measurement itself varies by a tenth. */
const unheard: Metric[] = metrics.map((metric) =>
  metric.name === 'service' ? { ...metric, goal: { ratio: 1.1 } } : metric,
);

/** What a token costs that crosses to another node, and how late it arrives there. */
export const deltas: Section = ({ rounds, seconds, say }) =>
  onStage(async (stage) => {
    const alone = await stage.startFleet();
    const processes = await stage.startFleet({ processes: 2 });
    const redis = await stage.startFleet({ nodes: 2, redis: true });
    const polling = await stage.startFleet({ nodes: 2 });
    const turns = Math.ceil(seconds / secondsPerTurn);
    const run = (fleet: Fleet, readers: readonly Readers[]) => () => measure(stage, fleet, readers, turns);
    const title = `${streams} streams of 60 tokens, one every 20 ms`;
    const samples = await measureInTurn(
      {
        alone: run(alone, []),
        unheard: run(redis, []),
        here: run(redis, [{ at: nodeOf(redis, 0), count: 2, measureEvery: 1 }]),
        byRedis: run(redis, [{ at: nodeOf(redis, 0) }, { at: nodeOf(redis, 1), measureEvery: 1 }]),
        byProcesses: run(processes, [{ at: nodeOf(processes, 0), count: 2, measureEvery: 1 }]),
        byLog: run(polling, [{ at: nodeOf(polling, 0) }, { at: nodeOf(polling, 1), measureEvery: 1 }]),
      },
      { title: `Nodes: ${title}`, rounds, onRound: say },
    );
    const beside = (what: string, ours: Sample[]): Comparison => ({
      title: `${title}, two readers each: ${what}, beside both on the node of the turn`,
      results: toResults(metrics, samples.here, ours),
    });
    return [
      {
        title: `${title}, no reader but the sender: one of two nodes with Redis, beside a single node`,
        results: toResults(unheard, samples.alone, samples.unheard),
      },
      beside('one on another node by Redis', samples.byRedis),
      beside('one on another process (SVC_PROCESSES=2)', samples.byProcesses),
      beside('one on another node without Redis', samples.byLog),
    ];
  });

async function measure(
  stage: Stage,
  fleet: Fleet,
  readers: readonly Readers[],
  turns: number,
): Promise<Sample> {
  const [owner, other] = fleet.nodes;
  const children = await childrenOf(nodeOf(fleet, 0).pid);
  const followed = await follow(stage, {
    fleet,
    conversations: streams,
    readers,
    streams,
    turns,
    parts: {
      service: fleet.nodes.map(({ pid }) => pid),
      ...(other && { owner: [owner?.pid ?? 0], other: [other.pid] }),
      workers: children,
      Redis: fleet.redis ? [fleet.redis.pid] : [],
      PostgreSQL: [stage.postgres.pid],
    },
  });
  return toSample(followed);
}

function toSample({ spent, tokens, senderLag, lag }: FollowOutcome): Sample {
  const perToken = (milliseconds: number) => (1000 * milliseconds) / tokens;
  const { service = 0, workers = 0, Redis = 0, PostgreSQL = 0, owner, other } = spent;
  const supervisor = workers > 0 ? service - workers : 0;
  return {
    all: perToken(service + Redis + PostgreSQL),
    service: perToken(service),
    ...(owner !== undefined && { owner: perToken(owner) }),
    ...(other !== undefined && { other: perToken(other) }),
    carrier: perToken(Redis + supervisor),
    PostgreSQL: perToken(PostgreSQL),
    sender50: senderLag.p50,
    sender95: senderLag.p95,
    ...(lag && { lag50: lag.p50, lag95: lag.p95 }),
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const processes = await readProcesses();
  return [...processes].filter(([, process]) => process.parent === parent).map(([id]) => id);
}
