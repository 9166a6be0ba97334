import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnDependencies } from '../dependencies.ts';
import { type TurnRow, turnStore } from '../store.ts';
import { StopRequested } from './lease.ts';
import type { TurnRunner } from './runner.ts';

const patienceMilliseconds = 5_000;
const lookEveryMilliseconds = 100;

export type StopTurn = (
  workspaceId: string,
  conversationId: string,
  by: string,
) => Promise<{ stopped: boolean }>;

/**
 * Interrupts the open turn of a conversation, on whichever node it runs. The request is stored on the turn; its owner ends it, and if
 * that takes more than five seconds, we do.
 */
export function createStopTurn(
  dependencies: Pick<TurnDependencies, 'database' | 'conversations'> & { runner: TurnRunner },
): StopTurn {
  const { database, conversations, runner } = dependencies;
  return async (workspaceId, conversationId, by) => {
    await conversations.getRow(workspaceId, conversationId);
    const turn = await turnStore.findOpen(database.query, workspaceId, conversationId);
    if (!turn) return { stopped: false };
    await database.transaction((tx) => turnStore.requestStop(tx, workspaceId, turn.id, by));
    const reason = new StopRequested(by);
    if (turn.status === 'paused') return { stopped: await runner.endPaused(workspaceId, turn.id, reason) };
    runner.abort(turn.id, reason);
    const ended = await waitForEnd(turn);
    if (ended) return { stopped: ended.status === 'interrupted' };
    return { stopped: await runner.takeAndEnd(workspaceId, turn.id, reason) };
  };

  async function waitForEnd({ workspaceId, id }: TurnRow): Promise<TurnRow | undefined> {
    const giveUpAt = performance.now() + patienceMilliseconds;
    await Promise.race([runner.waitFor(id), sleep(patienceMilliseconds)]);
    do {
      const turn = await turnStore.find(database.query, workspaceId, id);
      if (turn && turn.status !== 'running') return turn;
      await sleep(lookEveryMilliseconds);
    } while (performance.now() < giveUpAt);
    return undefined;
  }
}
