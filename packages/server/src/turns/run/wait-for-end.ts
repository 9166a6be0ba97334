import { setTimeout as sleep } from 'node:timers/promises';
import { notFound } from '../../app-error.ts';
import { eventLog } from '../../events/log.ts';
import type { TurnDependencies } from '../dependencies.ts';
import { type TurnRow, turnStore } from '../store.ts';
import type { TurnRunner } from './runner.ts';

/** How a turn came to rest. One that is paused goes on when somebody answers. */
export interface TurnEnd {
  status: 'completed' | 'paused' | 'interrupted' | 'failed';
  /** Why it failed, as its conversation tells it. */
  error: { code: string; message: string } | null;
}

export type WaitForEnd = (workspaceId: string, turnId: string, signal: AbortSignal) => Promise<TurnEnd>;

const lookEveryMilliseconds = 500;
const mostEvents = 1_000;

/** Rejects with the signal's reason when that is aborted, and with NOT_FOUND if there is no such turn. */
export function createWaitForEnd({
  database,
  runner,
}: Pick<TurnDependencies, 'database'> & { runner: TurnRunner }): WaitForEnd {
  return async (workspaceId, turnId, signal) => {
    const isAborted = aborted(signal);
    for (;;) {
      await Promise.race([runner.waitFor(turnId), isAborted]);
      signal.throwIfAborted();
      const turn = await turnStore.find(database.query, workspaceId, turnId);
      if (!turn) throw notFound();
      if (turn.status !== 'running') return { status: turn.status, error: await errorOf(turn) };
      // Another node has it, or is about to.
      await Promise.race([sleep(lookEveryMilliseconds), isAborted]);
    }
  };

  async function errorOf({ workspaceId, conversationId, id, status }: TurnRow): Promise<TurnEnd['error']> {
    if (status !== 'failed') return null;
    const first = await eventLog.firstOfTurn(database.query, workspaceId, conversationId, id);
    const events = await eventLog.list(database.query, workspaceId, conversationId, {
      after: first - 1,
      limit: mostEvents,
    });
    const failed = events.find(({ type, turnId }) => type === 'turn.failed' && turnId === id);
    const { error } = (failed?.data ?? {}) as { error?: { code: string; message: string } };
    return error ? { code: error.code, message: error.message } : null;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
