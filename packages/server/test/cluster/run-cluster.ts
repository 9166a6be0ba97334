import { setTimeout as sleep } from 'node:timers/promises';
import { checkAcknowledged, checkTags } from './check/acknowledged.ts';
import { checkAtRest } from './check/at-rest.ts';
import { comeToRest } from './check/come-to-rest.ts';
import { checkEffects } from './check/effects.ts';
import { endSchedule } from './check/end-schedule.ts';
import { checkLogs } from './check/logs.ts';
import { checkMissedEvents } from './check/missed-events.ts';
import { checkPreviews } from './check/previews.ts';
import { checkReaders } from './check/readers.ts';
import { checkRepeatedRequests } from './check/repeated-requests.ts';
import { checkReplies } from './check/replies.ts';
import { checkRevokedKeys } from './check/revoked-keys.ts';
import { checkStaleNode } from './check/stale-node.ts';
import { readStored } from './check/stored.ts';
import { watchRuns } from './check/watch-runs.ts';
import { injectFaults } from './faults/inject-faults.ts';
import { planFaults } from './faults/plan-faults.ts';
import type { Takeovers } from './faults/takeovers.ts';
import { createHistory, type History } from './history.ts';
import { type Client, createClient } from './load/client.ts';
import { type Prepared, prepare } from './load/prepare.ts';
import { startLoad } from './load/start-load.ts';
import { watchGrowth } from './soak/watch-growth.ts';
import { openStage, type Stage } from './stage/stage.ts';

export interface ClusterOptions {
  seed: number;
  /** How long load and faults last, in each round. */
  loadMs: number;
  /** After each round everything comes to rest. With several, the first node lives through all of them, and nothing may grow. */
  rounds: number;
  nodes: number;
  /** How many processes each node has, which share its port and a bus. */
  processes: number;
  withRedis: boolean;
  /** Whether a node is paused beyond its lease once more at the end, which takes half a minute. */
  withStaleNode: boolean;
  /** The folder of the bundled service. */
  bundle: string;
  /** An older version that all nodes start with; they are upgraded one by one. */
  oldBundle?: string;
  /** For the database and the logs of the nodes. */
  directory: string;
  /** The files of a migrated database, to copy instead of creating one. */
  preparedCluster?: string;
  /** How many times as long as promised a takeover and a shutdown may take: more on machines that are busy. */
  patience: number;
  print(line: string): void;
}

export interface ClusterResult {
  history: History;
  slowestTakeoverMs: number;
}

/** Runs the cluster under load and faults, lets it come to rest, and checks everything that was recorded. */
export async function runCluster(options: ClusterOptions): Promise<ClusterResult> {
  const { bundle, oldBundle, rounds } = options;
  const history = createHistory(options.print);
  const stage = await openStage({ ...options, bundle: oldBundle ?? bundle, history });
  try {
    const prepared = await prepare(connect(stage, history), stage.effects.url, 2);
    const growth = rounds > 1 ? watchGrowth(stage, history) : undefined;
    const watching = watchRuns(stage, history);
    const progress = setInterval(() => history.announce(describeProgress(history)), 10_000);
    let slowestTakeoverMs = 0;
    try {
      for (let round = 0; round < rounds; round += 1) {
        const takeovers = await playRound(options, { stage, history, prepared, round });
        slowestTakeoverMs = Math.max(slowestTakeoverMs, takeovers.slowestMs());
        history.count('takeovers', takeovers.count());
        await growth?.endRound();
      }
    } finally {
      clearInterval(progress);
      await watching.stop();
    }
    growth?.check();
    const probe = { stage, prepared, history };
    await checkPreviews(probe);
    await checkMissedEvents(probe);
    await checkRepeatedRequests(probe);
    if (options.withStaleNode) await checkStaleNode(probe);
    await endSchedule(probe);
    const stored = await readStored(stage);
    checkLogs(stored, history);
    checkAcknowledged(stored, history);
    checkTags(stored, history);
    checkReplies(stored, history);
    checkReaders(stored, history);
    checkEffects(stored, stage.effects.effects, history);
    await checkAtRest(stage, stored, history);
    await checkRevokedKeys(stage, history);
    return { history, slowestTakeoverMs };
  } finally {
    await stage.close();
  }
}

interface Round {
  stage: Stage;
  history: History;
  prepared: Prepared;
  round: number;
}

/** Load and faults, until everything has come to rest. */
async function playRound(
  options: ClusterOptions,
  { stage, history, prepared, round }: Round,
): Promise<Takeovers> {
  const { loadMs, bundle, oldBundle, patience, rounds } = options;
  const seed = options.seed + round;
  const client = connect(stage, history);
  const ofRound = rounds > 1 ? `round ${round + 1} of ${rounds}: ` : '';
  history.announce(`${ofRound}load and faults begin: ${loadMs / 1000} s`);
  const load = startLoad(seed, history, client, prepared, round);
  const withUpgrade = oldBundle !== undefined && round === 0;
  const faults = planFaults({ ...options, seed, withUpgrade, sparesFirst: rounds > 1 });
  const injection = injectFaults(stage, history, { faults, newBundle: bundle, patience });
  await Promise.all([sleep(loadMs), injection.done]);
  history.announce('all faults are lifted');
  await comeToRest(stage, history, client, load);
  return injection.takeovers;
}

function connect({ balancer, key }: Stage, history: History): Client {
  return createClient(history, { url: balancer.url, key });
}

function describeProgress({ acknowledged, counts, findings }: History): string {
  const over = (counts.get('turns over') ?? 0) + (counts.get('runs over') ?? 0);
  return `${acknowledged.length} requests acknowledged, ${over} turns over, ${findings.length} findings`;
}
