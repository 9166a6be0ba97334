import type { Section } from '../chat/section.ts';
import { type Comparison, type Metric, measureInTurn, type Sample, toResults } from '../support/compare.ts';
import { secondsPerTurn } from '../support/generator/job.ts';
import { follow } from './follow.ts';
import { type Fleet, nodeOf, onStage, type Stage } from './stage.ts';

const core = (name: string, label: string): Metric => ({ name, label: `% of a core: ${label}`, digits: 1 });
const metrics: Metric[] = [
  { name: 'lag50', label: 'token lag p50 ms', better: 'less', digits: 1 },
  { name: 'lag95', label: 'token lag p95 ms', better: 'less', digits: 1 },
  { name: 'sender95', label: 'sender: token lag p95 ms', better: 'less', digits: 1 },
  { ...core('nodes', 'both nodes'), better: 'less' },
  core('owner', 'node of the turns'),
  core('other', 'the other node'),
  core('Redis', 'Redis'),
  core('PostgreSQL', 'PostgreSQL'),
  core('senders', 'client that sends'),
  core('client', 'client that reads'),
  { name: 'statements', label: 'statements/s', better: 'less', digits: 1 },
  { name: 'megabytes', label: "MB of the readers' node", better: 'less', digits: 0 },
];

interface Crowd {
  conversations: number;
  /** Of each conversation. */
  readers: number;
  streams: number;
  /** Every nth reader; all of them would cost the client more than the nodes. */
  measureEvery: number;
}

const places = ['here', 'byRedis', 'byLog'] as const;

/** Many readers on one node of turns that run on another. */
export const readers: Section = ({ quick, rounds, seconds, say }) =>
  onStage(async (stage) => {
    const redis = await stage.startFleet({ nodes: 2, redis: true });
    const polling = await stage.startFleet({ nodes: 2 });
    const count = quick ? 100 : 1_000;
    const active = quick ? 10 : 50;
    const crowds: Record<string, Crowd> = {
      [`${count} conversations with a reader each, ${active} active at a time`]: {
        conversations: count,
        readers: 1,
        streams: active,
        measureEvery: 1,
      },
      [`one conversation with ${count} readers`]: {
        conversations: 1,
        readers: count,
        streams: 1,
        measureEvery: 10,
      },
    };
    const turns = Math.ceil((2 * seconds) / secondsPerTurn);
    const small = { conversations: active, readers: 1, streams: active, measureEvery: 1 };
    for (const place of places) await measure(stage, { redis, polling }, { crowd: small, place, turns: 1 });

    const comparisons: Comparison[] = [];
    for (const [title, crowd] of Object.entries(crowds)) {
      const run = (place: (typeof places)[number]) => () =>
        measure(stage, { redis, polling }, { crowd, place, turns });
      const samples = await measureInTurn(
        { here: run('here'), byRedis: run('byRedis'), byLog: run('byLog') },
        { title: `Nodes: ${title}`, rounds: Math.ceil(rounds / 2), isWarm: true, onRound: say },
      );
      const beside = (what: string, ours: Sample[]) => ({
        title: `60 tokens, one every 20 ms, in ${title}: on another node ${what}, beside the node of the turns`,
        results: toResults(metrics, samples.here, ours),
      });
      comparisons.push(beside('by Redis', samples.byRedis), beside('without Redis', samples.byLog));
    }
    return comparisons;
  });

async function measure(
  stage: Stage,
  fleets: { redis: Fleet; polling: Fleet },
  { crowd, place, turns }: { crowd: Crowd; place: (typeof places)[number]; turns: number },
): Promise<Sample> {
  const fleet = place === 'byLog' ? fleets.polling : fleets.redis;
  const [owner, other] = [nodeOf(fleet, 0), nodeOf(fleet, 1)];
  const at = place === 'here' ? owner : other;
  const [sending, reading] = stage.generators;
  const { milliseconds, spent, statements, lag, senderLag, megabytes } = await follow(stage, {
    fleet,
    conversations: crowd.conversations,
    readers: [{ at, count: crowd.readers, measureEvery: crowd.measureEvery }],
    streams: crowd.streams,
    turns,
    memoryOf: at,
    parts: {
      nodes: [owner.pid, other.pid],
      owner: [owner.pid],
      other: [other.pid],
      Redis: fleet.redis ? [fleet.redis.pid] : [],
      PostgreSQL: [stage.postgres.pid],
      senders: [sending.pid],
      client: [reading.pid],
    },
  });
  const shares = Object.entries(spent).map(([name, time]) => [name, (100 * time) / milliseconds]);
  return {
    ...(Object.fromEntries(shares) as Sample),
    statements: statements / (milliseconds / 1000),
    sender95: senderLag.p95,
    ...(lag && { lag50: lag.p50, lag95: lag.p95 }),
    ...(megabytes !== undefined && { megabytes }),
  };
}
