import type { ErasedEndUser } from '@svc/contract/end-users';
import { whileDeleting } from '../../database/deletion-lock.ts';
import { findNoHold } from '../../legal-holds/legal-holds.service.ts';
import { AppError } from '../../lib/app-error.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Services } from '../../services.ts';

export type EndUserErasure = ReturnType<typeof createEndUserErasure>;

/** Turns that are stopped together. */
const concurrency = 10;
/** Erasures in progress on this node, each of which has a connection to the database of its own, and those of one workspace. */
const [maxErasures, maxOfWorkspace] = [3, 2];
const never = new AbortController().signal;
/** A person who keeps writing can begin a turn after each that is stopped. */
const maxAttempts = 20;

/** Erases people: what they wrote and were answered is deleted, what that cost stays without their name. */
export function createEndUserErasure(
  dependencies: Pick<
    Services,
    'attachments' | 'billing' | 'database' | 'endUsers' | 'erasure' | 'idempotency' | 'turns'
  >,
) {
  const { attachments, database, erasure, turns, billing, idempotency, endUsers } = dependencies;
  const queue = createFairQueue({ concurrency: maxErasures, perGroup: maxOfWorkspace });

  return {
    /** Harmless when repeated, and for people who never wrote. No legal hold is placed before it has ended, so none keeps a half. */
    erase: (workspaceId: string, externalUserId: string): Promise<ErasedEndUser> =>
      queue.run(workspaceId, never, () =>
        whileDeleting(database, workspaceId, () => eraseAlone(workspaceId, externalUserId)),
      ),
  };

  async function eraseAlone(workspaceId: string, externalUserId: string): Promise<ErasedEndUser> {
    await findNoHold(database.within(workspaceId), workspaceId, { externalUserId });
    await endUsers.revoke(workspaceId, externalUserId);
    const wanted = await erasure.findAll(workspaceId, externalUserId);
    let deleted = 0;
    let oldest: string | undefined;
    for (let attempts = 0; ; attempts++) {
      deleted += await erasure.deleteIdle(workspaceId, wanted);
      const left = await erasure.listLeft(workspaceId, wanted, concurrency);
      if (left.length === 0) break;
      if (left[0] !== oldest) attempts = 0;
      if (attempts === maxAttempts) throw new AppError('TURN_IN_PROGRESS', { message: keepsWriting });
      oldest = left[0];
      await Promise.all(left.map((id) => stop(workspaceId, id)));
    }
    await billing.anonymizeUser(workspaceId, externalUserId);
    await idempotency.forgetEndUser(workspaceId, externalUserId);
    // A conversation that has just begun keeps the trigger from deleting them.
    await erasure.forgetDetails(workspaceId, externalUserId);
    await attachments.forget(workspaceId, externalUserId);
    if (deleted === 0) await erasure.recordNothingErased(workspaceId);
    return { message: 'The person was erased.', deleted_conversations: deleted };
  }

  async function stop(workspaceId: string, conversationId: string): Promise<void> {
    try {
      await turns.stop(workspaceId, conversationId, 'erasure');
    } catch (error) {
      // Another request has erased it meanwhile.
      if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
    }
  }
}

const keepsWriting = 'The person keeps sending messages. Keep them from writing and try again.';
