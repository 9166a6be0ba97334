import type { Transaction } from './database.ts';
import { sql } from './drizzle.ts';

/** Any fixed number of our own. */
const keyLock = 7_310_422_002;

/**
 * To be called before something lasting is sealed: until the transaction ends, the encryption key does not change. So
 * nothing that was sealed under the old key is written after everything was moved to the new one.
 */
export async function holdEncryptionKey(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${keyLock})`);
}

/** Waits for all who hold the key, and keeps others waiting until the transaction ends. */
export async function changeEncryptionKey(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyLock})`);
}
