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
import { createHistory, type History } from './history.ts';
import { createClient } from './load/client.ts';
import { prepare } from './load/prepare.ts';
import { startLoad } from './load/start-load.ts';
import { openStage } from './stage/stage.ts';

export interface ClusterOptions {
  seed: number;
  /** How long load and faults last. */
  loadMs: number;
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
  const { seed, loadMs, bundle, oldBundle } = options;
  const history = createHistory(options.print);
  const stage = await openStage({ ...options, bundle: oldBundle ?? bundle, history });
  try {
    const client = createClient(history, { url: stage.balancer.url, key: stage.key });
    const prepared = await prepare(client, stage.effects.url, 2);
    history.announce(`load and faults begin: ${loadMs / 1000} s`);
    const load = startLoad(seed, history, client, prepared);
    const faults = planFaults({ ...options, withUpgrade: oldBundle !== undefined });
    const injection = injectFaults(stage, history, { faults, newBundle: bundle, patience: options.patience });
    const watching = watchRuns(stage, history);
    const progress = setInterval(() => history.announce(describeProgress(history)), 10_000);
    try {
      await Promise.all([sleep(loadMs), injection.done]);
      history.announce('all faults are lifted');
      await comeToRest(stage, history, client, load);
    } finally {
      clearInterval(progress);
      await watching.stop();
    }
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
    history.count('takeovers', injection.takeovers.count());
    return { history, slowestTakeoverMs: injection.takeovers.slowestMs() };
  } finally {
    await stage.close();
  }
}

function describeProgress({ acknowledged, counts, findings }: History): string {
  const over = (counts.get('turns over') ?? 0) + (counts.get('runs over') ?? 0);
  return `${acknowledged.length} requests acknowledged, ${over} turns over, ${findings.length} findings`;
}
