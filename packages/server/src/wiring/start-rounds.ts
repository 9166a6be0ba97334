import { startLogWatch } from '../events/log-watch.ts';
import { reportUncertainCommits } from '../events/report-uncertain-commits.ts';
import { repeat } from '../lib/repeat.ts';
import { watchForNodesGone } from '../nodes/node-gone.ts';
import type { Ground, Round } from '../services.ts';

export type Rounds = ReturnType<typeof startRounds>;

/** Starts what a node does periodically. The work of a node that is announced as gone is taken over immediately. */
export function startRounds(services: Ground, rounds: readonly Round[]) {
  const { bus, database, jobs, log } = services;
  const started = rounds.map(({ takesOver = false, ...round }) => ({
    ...repeat({ ...round, log }),
    takesOver,
  }));
  const logWatch = startLogWatch(services);
  const ignoreUncertainCommits = reportUncertainCommits(database, bus);
  const nodesGone = watchForNodesGone({
    ...services,
    takeOver() {
      for (const { runNow, takesOver } of started) if (takesOver) runNow();
      jobs.wake();
    },
  });

  return {
    /** Ignores nodes that are announced as gone from now on. */
    ignoreNodesGone: () => nodesGone.end(),
    /** Resolves when the current rounds have ended. */
    async stop(): Promise<void> {
      ignoreUncertainCommits();
      await Promise.all([...started, logWatch].map(({ stop }) => stop()));
    },
  };
}
