import type { Transaction } from '../../database/database.ts';
import type { TurnDependencies } from '../dependencies.ts';
import { type TakenTurn, turnStore } from '../store.ts';

/** Takes a paused turn up again, and its run with it; undefined when it is not paused any more. */
export async function unpauseTurn(
  tx: Transaction,
  workspaceId: string,
  turnId: string,
  { nodeId, runs }: Pick<TurnDependencies, 'nodeId' | 'runs'>,
): Promise<TakenTurn | undefined> {
  const turn = await turnStore.unpause(tx, workspaceId, turnId, nodeId);
  if (turn) await runs.setStatus(tx, workspaceId, turnId, 'running');
  return turn;
}
