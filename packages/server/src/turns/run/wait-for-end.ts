import { setTimeout as sleep } from 'node:timers/promises';
import { notFound } from '../../lib/app-error.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import type { TurnError } from '../turns.tables.ts';
import type { TurnRunner } from './runner.ts';

/** How a turn ended or paused. A paused turn continues when a person answers. */
export interface TurnEnd {
  status: 'completed' | 'paused' | 'interrupted' | 'failed';
  /** Why it failed; null for a turn that did not, or that failed before errors were stored. */
  error: TurnError | null;
}

export type WaitForEnd = (workspaceId: string, turnId: string, signal: AbortSignal) => Promise<TurnEnd>;

const lookEveryMilliseconds = 500;

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
      const turn = await turnStore.find(database.within(workspaceId), workspaceId, turnId);
      if (!turn) throw notFound();
      if (turn.status !== 'running') return { status: turn.status, error: turn.error };
      // Another node has it, or is about to.
      await Promise.race([sleep(lookEveryMilliseconds), isAborted]);
    }
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
