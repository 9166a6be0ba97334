import { setTimeout as sleep } from 'node:timers/promises';
import { waitAtMost } from '../../lib/wait-at-most.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import { LeaseLost, StopRequested } from './lease.ts';
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
    const turn = await turnStore.findOpen(database.within(workspaceId), workspaceId, conversationId);
    if (!turn) return { stopped: false };
    await database
      .within(workspaceId)
      .transaction((tx) => turnStore.requestStop(tx, workspaceId, turn.id, by));
    const reason = new StopRequested(by);
    runner.abort(turn.id, reason);
    const giveUpAt = performance.now() + patienceMilliseconds;
    await waitAtMost(patienceMilliseconds, runner.waitFor(turn.id));
    for (;;) {
      // It may be paused, resumed or handed over while we wait.
      const now = await turnStore.find(database.within(workspaceId), workspaceId, turn.id);
      if (now?.status === 'paused') await endUnlessLost(() => runner.endPaused(workspaceId, turn.id, reason));
      else if (now?.status !== 'running') return { stopped: now?.status === 'interrupted' };
      else if (performance.now() < giveUpAt) await sleep(lookEveryMilliseconds);
      else await endUnlessLost(() => runner.takeAndEnd(workspaceId, turn.id, reason));
    }
  };
}

/** Another request to stop may have taken the turn at the same moment: then that one ends it. */
async function endUnlessLost(end: () => Promise<boolean>): Promise<void> {
  try {
    await end();
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    await sleep(lookEveryMilliseconds);
  }
}
