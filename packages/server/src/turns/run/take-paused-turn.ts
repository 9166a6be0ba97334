import type { Transaction } from '../../database/database.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { type TakenTurn, turnStore } from '../turns.store.ts';

/** Takes a paused turn, and its run with it; undefined if it is no longer paused. */
export async function takePausedTurn(
  tx: Transaction,
  workspaceId: string,
  turnId: string,
  { nodeId, runs }: Pick<TurnDependencies, 'nodeId' | 'runs'>,
): Promise<TakenTurn | undefined> {
  const turn = await turnStore.takePaused(tx, workspaceId, turnId, nodeId);
  if (turn) await runs.setStatus(tx, workspaceId, turnId, 'running');
  return turn;
}
