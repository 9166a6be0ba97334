import { setTimeout as sleep } from 'node:timers/promises';
import type { AppError } from '../app-error.ts';
import { isConnectionFailure, isDeadlock } from '../database/database.ts';
import { advanceCase } from './advance-case.ts';
import type { EvaluationDependencies } from './dependencies.ts';
import { EvaluationFailed } from './evaluation-failed.ts';
import { type CaseRow, type EvaluationRow, evaluationStore } from './store.ts';

const claimedAtOnce = 20;
const patienceMilliseconds = 1_000;

/** The node goes away: the evaluation is left as it is written, for another node. */
class Released extends Error {}

export type EvaluationDriver = ReturnType<typeof createEvaluationDriver>;

/** Runs the evaluations that this node drives, each from what is written of it. */
export function createEvaluationDriver(dependencies: EvaluationDependencies) {
  const { database, nodeId, log } = dependencies;
  const driven = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  return {
    /** Takes up what nobody drives: new evaluations, and those that were left behind. */
    async sweep(): Promise<void> {
      if (stopping.signal.aborted) return;
      const held = [...driven.keys()];
      const rows = await evaluationStore.claimAcrossWorkspaces(database.query, nodeId, held, claimedAtOnce);
      for (const row of rows) {
        if (driven.has(row.id)) continue;
        log.info({ evaluation_id: row.id }, 'An evaluation is run from here.');
        driven.set(
          row.id,
          drive(row).finally(() => driven.delete(row.id)),
        );
      }
    },

    /** Leaves everything to other nodes. Harmless when repeated. */
    async stop(): Promise<void> {
      stopping.abort(new Released());
      await Promise.all(driven.values());
    },
  };

  /** Never throws: what goes wrong is written on the evaluation, or tried again. */
  async function drive(evaluation: EvaluationRow): Promise<void> {
    const { id, workspaceId } = evaluation;
    while (!stopping.signal.aborted) {
      try {
        const next = await evaluationStore.nextCase(database.query, workspaceId, id);
        if (!next) return await end(evaluation, 'completed', null);
        await advance(evaluation, next);
      } catch (error) {
        if (stopping.signal.aborted) break;
        log.warn({ err: error, evaluation_id: id }, 'An evaluation could not go on; it is tried again.');
        await sleep(patienceMilliseconds);
      }
    }
    await evaluationStore.release(database.query, workspaceId, id, nodeId).catch((error: unknown) => {
      log.warn(
        { err: error, evaluation_id: id },
        'An evaluation is taken up when this node is seen to be gone.',
      );
    });
  }

  async function advance(evaluation: EvaluationRow, row: CaseRow): Promise<void> {
    try {
      await advanceCase(evaluation, row, dependencies, stopping.signal);
    } catch (error) {
      if (error instanceof EvaluationFailed) return fail(evaluation, row, error.reason);
      if (stopping.signal.aborted || isConnectionFailure(error) || isDeadlock(error)) throw error;
      log.error({ err: error, evaluation_id: evaluation.id, case_id: row.id }, 'A case failed.');
      await endCase(row, { code: 'INTERNAL', message: 'Something went wrong on our side.' });
    }
  }

  async function endCase(
    { workspaceId, id }: CaseRow,
    problem: { code: string; message: string },
  ): Promise<void> {
    const outcome = {
      status: 'error' as const,
      facts: [],
      reasons: [{ kind: 'error' as const, ...problem }],
    };
    await database.transaction((tx) => evaluationStore.endCase(tx, workspaceId, id, outcome));
  }

  /** A case that was begun could not be decided; those after it were not even begun. */
  async function fail(evaluation: EvaluationRow, row: CaseRow, { code, message }: AppError): Promise<void> {
    log.warn({ code, evaluation_id: evaluation.id }, 'An evaluation failed.');
    if (row.turnIds.length > 0) await endCase(row, { code, message });
    await end(evaluation, 'failed', { code, message });
  }

  async function end(
    { workspaceId, id }: EvaluationRow,
    status: 'completed' | 'failed',
    error: EvaluationRow['error'],
  ): Promise<void> {
    await database.transaction((tx) => evaluationStore.end(tx, workspaceId, id, { status, error }));
  }
}
