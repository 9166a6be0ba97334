import { type RetentionKind, retentionKinds } from '@svc/contract/retention';
import { recordChange } from '../audit/audit.service.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { lockForDeletion } from '../database/deletion-lock.ts';
import type { Services } from '../services.ts';
import type { ExpiryRule } from './expired-rows.store.ts';
import { type Batch, type RetentionDays, type RetentionRow, retentionStore } from './retention.store.ts';
import type { DeletedCounts, StoredRound } from './retention.tables.ts';

/** How many rows a statement looks at: small enough for a short transaction. A recording has up to a thousand parts. */
const batchSizes: Record<RetentionKind, number> = {
  traces: 500,
  events: 1_000,
  recordings: 10,
  audit: 1_000,
  conversations: 200,
};
/** Of conversations that are deleted together: as many as a notification names, and about as many messages. */
const maxConversations = 50;
const maxMessages = 1_000;
const pauseMilliseconds = 3_600_000;

const noneDeleted: DeletedCounts = { traces: 0, events: 0, recordings: 0, audit: 0, conversations: 0 };
const [firstKind] = retentionKinds;
const nothingFound: Batch = { seen: 0, deleted: 0, cursor: null };

/** What expires of a kind; undefined if it is kept for ever. */
export async function ruleOf(
  query: Queryable,
  workspaceId: string,
  kind: RetentionKind,
  { days, now }: { days: RetentionDays; now: Date },
): Promise<ExpiryRule | undefined> {
  const ofKind = days[`${kind}Days`];
  if (kind === 'recordings') {
    const ofBots = await retentionStore.shortestRecordingDays(query, workspaceId);
    return { kind, days: ofKind, shortestDays: Math.min(ofBots, ofKind ?? ofBots), now };
  }
  return ofKind === null ? undefined : { kind, days: ofKind, shortestDays: ofKind, now };
}

/**
 * Returns what deletes the next batch of a workspace, in a transaction of its own with the place that the round has come to: whatever
 * happens, the next batch continues there. False if nothing is due, or another node is at it.
 */
export function createRetentionBatches({
  database,
  clock,
  erasure,
  meters,
}: Pick<Services, 'clock' | 'database' | 'erasure'> & Partial<Pick<Services, 'meters'>>) {
  return async (workspaceId: string): Promise<boolean> => {
    const deleted = await database.within(workspaceId).transaction(async (tx) => {
      const row = await retentionStore.lockDue(tx, workspaceId, clock.now());
      if (!row) return undefined;
      await lockForDeletion(tx, workspaceId);
      if (await retentionStore.isWorkspaceHeld(tx, workspaceId)) {
        await endRound(tx, row, row.round ?? newRound());
        return noneDeleted;
      }
      return advance(tx, row);
    });
    if (!deleted) return false;
    for (const kind of retentionKinds) if (deleted[kind] > 0) meters?.expired.add(deleted[kind], kind);
    return true;
  };

  /** One batch, or the end of the round if nothing is left. Kinds of which nothing is old enough are passed over. */
  async function advance(tx: Transaction, row: RetentionRow): Promise<DeletedCounts> {
    const { workspaceId } = row;
    const round = row.round ?? newRound();
    const now = new Date(round.started_at);
    let { kind, cursor } = round;
    for (;;) {
      const rule = await ruleOf(tx, workspaceId, kind, { days: row, now });
      const batch = rule ? await deleteBatch(tx, workspaceId, rule, cursor) : nothingFound;
      const ofBatch = { ...noneDeleted, [kind]: batch.deleted };
      const deleted = { ...round.deleted, [kind]: round.deleted[kind] + batch.deleted };
      const next = batch.cursor ? kind : retentionKinds[retentionKinds.indexOf(kind) + 1];
      if (!next) {
        await endRound(tx, row, { ...round, deleted });
        return ofBatch;
      }
      kind = next;
      cursor = batch.cursor;
      if (batch.seen === 0) continue;
      const progress: StoredRound = { ...round, kind, cursor, deleted };
      await retentionStore.update(tx, workspaceId, { round: progress, dueAt: clock.now() });
      return ofBatch;
    }
  }

  function newRound(): StoredRound {
    return { started_at: clock.now().toISOString(), kind: firstKind, cursor: null, deleted: noneDeleted };
  }

  /** The cursor of the batch is null if it was the last of its kind. */
  async function deleteBatch(
    tx: Transaction,
    workspaceId: string,
    rule: ExpiryRule,
    after: string[] | null,
  ): Promise<Batch> {
    const limit = batchSizes[rule.kind];
    if (rule.kind === 'conversations') return deleteConversations(tx, workspaceId, rule, after);
    const batch = await retentionStore.deleteBatch(tx, workspaceId, rule, after, limit);
    return batch.seen < limit ? { ...batch, cursor: null } : batch;
  }

  async function deleteConversations(
    tx: Transaction,
    workspaceId: string,
    rule: ExpiryRule,
    after: string[] | null,
  ): Promise<Batch> {
    const limit = batchSizes.conversations;
    const rows = await retentionStore.listConversations(tx, workspaceId, rule, after, limit);
    const expired: string[] = [];
    let messages = 0;
    let seen = 0;
    for (const { id, isExpired, messageCount } of rows) {
      if (expired.length === maxConversations || messages > maxMessages) break;
      seen += 1;
      if (!isExpired) continue;
      expired.push(id);
      messages += messageCount;
    }
    const ids = await retentionStore.lockForgotten(tx, workspaceId, rule, expired);
    if (ids.length > 0) await erasure.deleteLocked(tx, workspaceId, ids);
    const last = rows[seen - 1];
    const isLast = seen === rows.length && rows.length < limit;
    return { seen, deleted: ids.length, cursor: last && !isLast ? [last.age, last.id] : null };
  }

  async function endRound(
    tx: Transaction,
    { workspaceId }: RetentionRow,
    { started_at, deleted }: StoredRound,
  ): Promise<void> {
    const now = clock.now();
    await retentionStore.update(tx, workspaceId, {
      round: null,
      lastRound: { started_at, ended_at: now.toISOString(), deleted },
      dueAt: new Date(now.getTime() + pauseMilliseconds),
    });
    const changes = retentionKinds
      .filter((kind) => deleted[kind] > 0)
      .map((kind) => ({ field: kind, before: null, after: deleted[kind] }));
    if (changes.length > 0)
      await recordChange(tx, workspaceId, {
        action: 'retention.deleted',
        object: { id: workspaceId },
        changes,
      });
  }
}
