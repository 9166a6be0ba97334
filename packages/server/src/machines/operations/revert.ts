import { OneOf, Uuid } from '@svc/contract/common';
import { changeNames, type Outcome, type RevertedFiles } from '@svc/contract/machine-protocol';
import { Type } from 'typebox';
import type { Database } from '../../database/database.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import { createSchemaCompiler } from '../../validation/compile-schema.ts';
import type { Locator } from './locate-machines.ts';
import type { RevertedFile } from './machine-operation.ts';
import { type NewCall, operationStore } from './machine-operations.store.ts';
import type { Performer } from './performer.ts';

/** A patch can change 500 files, each has up to five values in the result, and a frame can have `maxFrameValues`. */
const batchSize = 15;
const timeLimitMs = 120_000;

/** The caller that wants changes reverted. */
interface Reverter {
  by: string;
  /** Throws FORBIDDEN unless they may use the machine. */
  requireUse(machineId: string): Promise<void>;
}

/** Restores the files that operations have changed, on all machines where they were carried out. */
export function createRevert(database: Database, locator: Locator, performer: Pick<Performer, 'perform'>) {
  /** Those that change files, by machine, in the order of their ids. */
  async function listChanges(workspaceId: string, ids: readonly string[]): Promise<Map<string, NewCall[]>> {
    const calls = await operationStore.listCalls(database.within(workspaceId), workspaceId, ids);
    const changes = calls.filter(({ name }) => changeNames.some((change) => change === name));
    const byId = new Map(changes.map((change) => [change.id, change]));
    return Map.groupBy(
      ids.flatMap((id) => byId.get(id) ?? []),
      ({ machineId }) => machineId,
    );
  }

  async function requireConnected(machineIds: string[]): Promise<void> {
    const sightings = await locator.everywhere(machineIds);
    if (machineIds.some((id) => !sightings.has(id)))
      throw new AppError('MACHINE_OFFLINE', {
        message:
          'A machine whose files were changed was revoked, so they cannot be restored: truncate without revert_files.',
      });
    if (machineIds.some((id) => !sightings.get(id)?.location)) throw new AppError('MACHINE_OFFLINE');
  }

  async function revertBatch(
    workspaceId: string,
    batch: readonly NewCall[],
    by: string,
  ): Promise<RevertedFile[]> {
    const [first] = batch;
    if (!first) return [];
    const { machineId, conversationId } = first;
    const revertId = newId();
    const outcome = await performer.perform(
      {
        id: revertId,
        // A person's request to revert is their approval.
        approval: { id: revertId, by },
        workspaceId,
        machineId,
        // The daemon knows the real paths of what it has changed.
        workdir: '.',
        name: 'revert',
        arguments: { operation_ids: batch.map(({ id }) => id) },
        botId: undefined,
        conversationId,
        timeLimitMs,
      },
      { signal: new AbortController().signal, onProgress: () => undefined },
    );
    return revertedFiles(outcome).map(({ operation_id: operationId, path, outcome: status, reason }) => ({
      operationId,
      machineId,
      path,
      status,
      ...(reason !== undefined && { reason }),
    }));
  }

  return async (
    workspaceId: string,
    operationIds: readonly string[],
    { by, requireUse }: Reverter,
  ): Promise<RevertedFile[]> => {
    const changes = await listChanges(workspaceId, operationIds);
    await requireConnected([...changes.keys()]);
    for (const machineId of changes.keys()) await requireUse(machineId);
    const files: RevertedFile[] = [];
    for (const calls of changes.values())
      for (let start = 0; start < calls.length; start += batchSize)
        files.push(...(await revertBatch(workspaceId, calls.slice(start, start + batchSize), by)));
    return files;
  };
}

/** The daemon is another program: its answer is checked. */
function revertedFiles(outcome: Outcome): RevertedFiles['files'] {
  if (outcome.status === 'unknown') throw new AppError('MACHINE_OFFLINE', { message: outcome.message });
  const files = outcome.status === 'ok' ? (outcome.value as Partial<RevertedFiles> | null)?.files : undefined;
  if (files && isValid(files)) return files;
  throw new AppError('UPSTREAM_FAILED', {
    message: 'The machine could not restore the files.',
    details: outcome.status === 'error' ? [{ message: outcome.message }] : [],
  });
}

const isValid = createSchemaCompiler({ coerce: false })(
  Type.Array(
    Type.Object({
      operation_id: Uuid,
      path: Type.String(),
      outcome: OneOf(['restored', 'deleted', 'changed_since', 'failed']),
      reason: Type.Optional(Type.String()),
    }),
  ),
);
