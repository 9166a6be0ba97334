import type { Transaction } from './database.ts';
import { sql } from './drizzle.ts';

/** An arbitrary fixed number. */
export const keyLock = 7_310_422_002;

/**
 * Call this before storing something sealed: the encryption key does not change until the transaction ends. Otherwise a
 * value sealed under the old key could be written after everything was moved to the new one.
 */
export async function lockEncryptionKey(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${keyLock})`);
}

/** Waits for all transactions that have locked the key, and blocks new ones until this transaction ends. */
export async function lockEncryptionKeyForChange(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyLock})`);
}
