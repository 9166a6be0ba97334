import { waitAtMost } from '../../lib/wait-at-most.ts';
import type { MadeToolCall, TurnDependencies } from '../turn-dependencies.ts';
import { logIds, type TurnLease } from './lease.ts';

/** The end of a turn waits this long for its calls to be cancelled. */
const patienceMilliseconds = 1_000;

/**
 * Cancels started calls whose outcome was given up. Call it after that was written: a node that lost its turn must not cancel
 * what another node waits for. A failure is only logged, because it changes nothing about the turn.
 */
export async function withdrawToolCalls(
  lease: TurnLease,
  started: readonly MadeToolCall[],
  { tools, log }: Pick<TurnDependencies, 'tools' | 'log'>,
): Promise<void> {
  if (started.length === 0) return;
  const withdrawn = tools.withdraw(lease, started).catch((error: unknown) => {
    log.warn({ err: error, ...logIds(lease) }, 'The calls of a turn that ended could not be cancelled.');
  });
  await waitAtMost(patienceMilliseconds, withdrawn);
}
