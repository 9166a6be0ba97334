import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';

/** PostgreSQL may still be committing when the connection is lost. */
const againMilliseconds = 5_000;

/**
 * A commit whose answer was lost may have stored events that were not published. All nodes look for them in the log, until
 * the returned function is called.
 */
export function reportUncertainCommits(
  database: Pick<Database, 'onUncertainCommit'>,
  bus: Pick<Bus, 'reportLoss'>,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = database.onUncertainCommit(() => {
    bus.reportLoss();
    timer ??= setTimeout(() => {
      timer = undefined;
      bus.reportLoss();
    }, againMilliseconds);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
