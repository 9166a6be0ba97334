import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionFailure, isDeadlock } from '../database/database.ts';
import type { AppError } from '../lib/app-error.ts';
import { advanceCase } from './advance-case.ts';
import type { EvaluationDependencies } from './evaluation-dependencies.ts';
import { EvaluationFailed } from './evaluation-failed.ts';
import { type CaseRow, type EvaluationRow, evaluationStore } from './evaluations.store.ts';

const claimBatchSize = 20;
const retryMilliseconds = 1_000;

/** The node is stopping: another node continues the evaluation from what is stored. */
class Released extends Error {}

/** Drives evaluations on this node, each from what is stored of it. */
export function createEvaluationDriver(dependencies: EvaluationDependencies) {
  const { database, nodeId, noteChange, log } = dependencies;
  const driven = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  return {
    /** Claims evaluations that no node drives: new ones, and those of nodes that are gone. */
    async sweep(): Promise<void> {
      if (stopping.signal.aborted) return;
      const held = [...driven.keys()];
      const rows = await evaluationStore.claimAcrossWorkspaces(
        database.acrossWorkspaces,
        nodeId,
        held,
        claimBatchSize,
      );
      for (const row of rows) {
        if (driven.has(row.id)) continue;
        log.info({ evaluation_id: row.id }, 'An evaluation is run from here.');
        driven.set(
          row.id,
          drive(row).finally(() => driven.delete(row.id)),
        );
      }
    },

    /** Leaves everything to other nodes. May be repeated. */
    async stop(): Promise<void> {
      stopping.abort(new Released());
      await Promise.all(driven.values());
    },
  };

  /** Never throws: failures are stored on the evaluation, or retried. */
  async function drive(evaluation: EvaluationRow): Promise<void> {
    const { id, workspaceId } = evaluation;
    while (!stopping.signal.aborted) {
      try {
        const next = await evaluationStore.nextCase(database.within(workspaceId), workspaceId, id);
        if (!next) return await end(evaluation, 'completed', null);
        await advance(evaluation, next);
        noteChange(workspaceId, 'evaluation', id);
      } catch (error) {
        if (stopping.signal.aborted) break;
        log.warn({ err: error, evaluation_id: id }, 'An evaluation failed to advance; it is retried.');
        await sleep(retryMilliseconds);
      }
    }
    await evaluationStore
      .release(database.within(workspaceId), workspaceId, id, nodeId)
      .catch((error: unknown) => {
        log.warn(
          { err: error, evaluation_id: id },
          'An evaluation could not be released; another node claims it once this one is gone.',
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
    await database
      .within(workspaceId)
      .transaction((tx) => evaluationStore.endCase(tx, workspaceId, id, outcome));
  }

  /** Ends the current case as an error, if it has started, and skips the others. */
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
    await database
      .within(workspaceId)
      .transaction((tx) => evaluationStore.end(tx, workspaceId, id, { status, error }));
    noteChange(workspaceId, 'evaluation', id);
  }
}
