import { AppError } from '../lib/app-error.ts';
import { errorCode } from '../lib/error-code.ts';
import type { Database, Transaction } from './database.ts';
import { sql } from './drizzle.ts';

/** An arbitrary fixed number, beside which the workspace is hashed. */
const deletionLock = 731_042;
const maxWaitMilliseconds = 5_000;
const lockTimedOut = '55P03';

/**
 * Call this before anything else in a transaction that deletes what a legal hold could keep: no hold is placed until it ends, and
 * those that were are visible afterwards.
 */
export async function lockForDeletion(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${deletionLock}, hashtext(${workspaceId}))`);
}

/** The same for a deletion of several transactions, all of which must be over before a hold is placed. */
export async function whileDeleting<Result>(
  database: Pick<Database, 'connect'>,
  workspaceId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  // The lock belongs to this connection, so it is also released when the process dies.
  const client = await database.connect('svc erasure');
  try {
    await client.query('select pg_advisory_lock_shared($1, hashtext($2))', [deletionLock, workspaceId]);
    return await work();
  } finally {
    await client.end();
  }
}

/** Waits for all deletions in the workspace, and blocks new ones until the transaction ends. */
export async function lockAgainstDeletion(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.execute(sql.raw(`set local lock_timeout = ${maxWaitMilliseconds}`));
  try {
    await tx.execute(sql`select pg_advisory_xact_lock(${deletionLock}, hashtext(${workspaceId}))`);
  } catch (error) {
    if (errorCode(error) === lockTimedOut || errorCode((error as Error).cause) === lockTimedOut)
      throw new AppError('ERASURE_IN_PROGRESS', { cause: error });
    throw error;
  }
  await tx.execute(sql`set local lock_timeout = 0`);
}
