import { AppError } from '../../lib/app-error.ts';
import type { RunRow } from '../../runs/runs.service.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { TurnRunner } from './runner.ts';

/** Rounds in which the owner may end an overdue run; after that, this sweep does. */
const patienceRounds = 4;

/**
 * Ends runs that are past their deadline, on whichever node they run or wait. It goes by the clock, not by timers, so a node that
 * was suspended notices immediately.
 */
export function createDeadlineSweep({
  runs,
  runner,
  clock,
  log,
}: Pick<TurnDependencies, 'runs' | 'clock' | 'log'> & { runner: TurnRunner }): () => Promise<void> {
  /** How often each overdue run was seen. */
  let seen = new Map<string, number>();

  return async () => {
    const overdue = await runs.listOverdue(clock.now());
    seen = new Map(overdue.map(({ turnId }) => [turnId, (seen.get(turnId) ?? 0) + 1]));
    for (const run of overdue) {
      try {
        await end(run, seen.get(run.turnId) ?? 1);
      } catch (error) {
        log.warn({ err: error, turn_id: run.turnId }, 'A run could not be ended; it is tried again.');
      }
    }
  };

  async function end({ workspaceId, turnId, status }: RunRow, round: number): Promise<void> {
    const reason = new AppError('RUN_TIMED_OUT');
    if (status === 'paused') await runner.endPaused(workspaceId, turnId, reason);
    else if (round <= patienceRounds) runner.abort(turnId, reason);
    else await runner.takeAndEnd(workspaceId, turnId, reason);
  }
}
