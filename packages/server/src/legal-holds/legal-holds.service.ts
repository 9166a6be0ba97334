import type { LegalHold, LegalHoldCreate } from '@svc/contract/legal-holds';
import { recordChange } from '../audit/audit.service.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { lockAgainstDeletion, lockForDeletion } from '../database/deletion-lock.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import { type RecordAnswer, recordNothing } from '../idempotency/idempotency.service.ts';
import { currentActor } from '../lib/actor.ts';
import { AppError, invalid, notFound } from '../lib/app-error.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import { newId } from '../lib/new-id.ts';
import type { Services } from '../services.ts';
import { type HoldRow, holdStore } from './legal-holds.store.ts';

export type LegalHoldService = ReturnType<typeof createLegalHoldService>;

/** What a hold keeps, or what is to be deleted. */
export type Held = { conversationId: string } | { externalUserId: string };

/**
 * Throws LEGAL_HOLD if a hold keeps the conversation, or anything of the person. Call it before anything else in the transaction that
 * deletes: no hold is placed until the transaction ends.
 */
export async function requireNoHold(tx: Transaction, workspaceId: string, held: Held): Promise<void> {
  await lockForDeletion(tx, workspaceId);
  await findNoHold(tx, workspaceId, held);
}

/** The same for a caller that keeps new holds away by itself, or that only wants to know early. */
export async function findNoHold(query: Queryable, workspaceId: string, held: Held): Promise<void> {
  const id =
    'conversationId' in held
      ? await holdStore.findOfConversation(query, workspaceId, held.conversationId)
      : await holdStore.findOfPerson(query, workspaceId, held.externalUserId);
  if (id !== undefined) throw new AppError('LEGAL_HOLD', { details: [{ legal_hold_id: id }] });
}

const never = new AbortController().signal;

/** Holds keep data from being deleted, by whatever would delete it. */
export function createLegalHoldService({ database, clock }: Pick<Services, 'clock' | 'database'>) {
  // Each has a connection to the database while it waits for a deletion, and others need connections too.
  const placing = createFairQueue({ concurrency: 2, perGroup: 1 });

  return {
    /** Oldest first. */
    list: (workspaceId: string): ListPages<LegalHold> =>
      inPages(
        (after) => holdStore.listPage(database.within(workspaceId), workspaceId, after),
        (rows) => rows.map(toWire),
      ),

    /** Waits for deletions in progress: what they have not deleted by then is kept. */
    place(
      workspaceId: string,
      { external_user_id: externalUserId, conversation_id: conversationId, reason }: LegalHoldCreate,
      record: RecordAnswer<LegalHold> = recordNothing,
    ): Promise<LegalHold> {
      if (externalUserId !== undefined && conversationId !== undefined)
        throw invalid('conversation_id', 'must be left out if external_user_id is given');
      const actor = currentActor();
      const row: HoldRow = {
        id: newId(),
        workspaceId,
        externalUserId: externalUserId ?? null,
        conversationId: conversationId ?? null,
        reason,
        actorType: actor.type,
        actorId: actor.id,
        actorName: actor.name,
        createdAt: clock.now(),
      };
      const insert = async (tx: Transaction) => {
        await lockAgainstDeletion(tx, workspaceId);
        if (
          conversationId !== undefined &&
          !(await holdStore.hasConversation(tx, workspaceId, conversationId))
        )
          throw notFound();
        await holdStore.insert(tx, workspaceId, row);
        await recordChange(tx, workspaceId, {
          action: 'legal_hold.placed',
          object: { id: row.id },
          after: audited(row),
        });
        const hold = toWire((await holdStore.find(tx, workspaceId, row.id)) ?? row);
        await record(tx, hold);
        return hold;
      };
      return placing.run(workspaceId, never, () => database.within(workspaceId).transaction(insert));
    },

    release(workspaceId: string, id: string): Promise<void> {
      return database.within(workspaceId).transaction(async (tx) => {
        const row = await holdStore.delete(tx, workspaceId, id);
        if (!row) throw notFound();
        await recordChange(tx, workspaceId, {
          action: 'legal_hold.released',
          object: { id },
          before: audited(row),
        });
      });
    },
  };
}

/** Without the person, whom an entry could outlive. */
function audited({ externalUserId, conversationId, reason }: HoldRow): object {
  const ofPerson = externalUserId === null ? 'workspace' : 'person';
  return {
    scope: conversationId === null ? ofPerson : 'conversation',
    ...(conversationId !== null && { conversation_id: conversationId }),
    reason,
  };
}

function toWire(row: HoldRow): LegalHold {
  return {
    id: row.id,
    external_user_id: row.externalUserId,
    conversation_id: row.conversationId,
    reason: row.reason,
    created_at: row.createdAt.toISOString(),
    created_by: { type: row.actorType, id: row.actorId, name: row.actorName },
  };
}
