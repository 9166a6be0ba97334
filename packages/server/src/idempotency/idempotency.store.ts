import type { Queryable, Transaction } from '../database/database.ts';
import { and, eq, getTableColumns, isNotNull, isNull, lt, or, sql } from '../database/drizzle.ts';
import { nodeLost } from '../nodes/presence.ts';
import { idempotencyRecords as records } from './idempotency.tables.ts';

export interface Claim {
  key: string;
  requestHash: Buffer;
  nodeId: string;
}

export type IdempotencyRecord = typeof records.$inferSelect;

/** What a claim has in place of an answer: nothing, or one that is not final. */
type Unanswered = Buffer | null;

export const idempotencyStore = {
  /** True when the key is now ours: it was new, had expired, or its node was lost before it answered. */
  async claim(query: Queryable, workspaceId: string, claim: Claim): Promise<boolean> {
    const values = {
      ...claim,
      answer: null,
      createdAt: sql`now()`,
      expiresAt: sql`now() + interval '24 hours'`,
    };
    const rows = await query
      .insert(records)
      .values({ workspaceId, ...values })
      .onConflictDoUpdate({
        target: [records.workspaceId, records.key],
        set: values,
        setWhere: sql`${records.expiresAt} <= now() or (${records.answer} is null and ${nodeLost(records.nodeId)})`,
      })
      .returning({ key: records.key });
    return rows.length > 0;
  },

  async find(query: Queryable, workspaceId: string, key: string) {
    const rows = await query
      .select({ ...getTableColumns(records), isNodeLost: sql<boolean>`${nodeLost(records.nodeId)}` })
      .from(records)
      .where(and(eq(records.workspaceId, workspaceId), eq(records.key, key)));
    return rows[0];
  },

  /** False when another node has taken over the claim. */
  async complete(
    query: Queryable,
    workspaceId: string,
    claim: Claim,
    answer: Buffer,
    before: Unanswered = null,
  ): Promise<boolean> {
    const rows = await query
      .update(records)
      .set({ answer })
      .where(openClaim(workspaceId, claim, before))
      .returning({ key: records.key });
    return rows.length > 0;
  },

  /** Releases a key whose request failed. */
  async release(query: Queryable, workspaceId: string, claim: Claim, before: Unanswered = null) {
    await query.delete(records).where(openClaim(workspaceId, claim, before));
  },

  /** Deletes the answers of keys that begin like this. Requests that are still running keep theirs. */
  async deleteAnswered(query: Queryable, workspaceId: string, prefix: string): Promise<void> {
    await query
      .delete(records)
      .where(
        and(
          eq(records.workspaceId, workspaceId),
          sql`starts_with(${records.key}, ${prefix})`,
          isNotNull(records.answer),
        ),
      );
  },

  /** Every record of every workspace, locked for a change of keys. */
  lockAcrossWorkspaces(tx: Transaction): Promise<IdempotencyRecord[]> {
    return tx.select().from(records).for('update');
  },

  async replaceSealed(
    tx: Transaction,
    workspaceId: string,
    key: string,
    sealed: Pick<IdempotencyRecord, 'requestHash' | 'answer'>,
  ): Promise<void> {
    await tx
      .update(records)
      .set(sealed)
      .where(and(eq(records.workspaceId, workspaceId), eq(records.key, key)));
  },

  async deleteExpiredAcrossWorkspaces(query: Queryable): Promise<void> {
    await query.delete(records).where(lt(records.expiresAt, sql`now()`));
  },
};

function openClaim(workspaceId: string, claim: Claim, before: Unanswered) {
  return and(
    eq(records.workspaceId, workspaceId),
    eq(records.key, claim.key),
    eq(records.nodeId, claim.nodeId),
    before === null ? isNull(records.answer) : or(isNull(records.answer), eq(records.answer, before)),
  );
}
