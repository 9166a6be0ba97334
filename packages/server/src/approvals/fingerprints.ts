import type { Transaction } from '../database/database.ts';
import { type SecretBox, UnknownKeyError } from '../secrets/secret-box.ts';
import type { Fingerprint } from '../tools/service.ts';
import { type ApprovalRow, approvalStore } from './store.ts';

export type KeptFingerprint = Fingerprint | 'none' | 'locked';

type Kept = Pick<ApprovalRow, 'id' | 'workspaceId'>;

/**
 * Fingerprints as approvals keep them. Encrypted instead of keyed: a keyed hash could not be checked any more after the
 * encryption key has changed, and could not be made anew without the tool as it was then.
 */
export function createFingerprints(box: Pick<SecretBox, 'seal' | 'open'>) {
  return {
    /** The caller's transaction must hold the encryption key. */
    seal(kept: Kept, { tool, offer }: Fingerprint): Buffer {
      return box.seal(JSON.stringify({ tool, offer }), contextOf(kept));
    },

    /** `none` was kept; or it is `locked`: this node lacks its key, which says nothing about the tool. */
    open(row: Kept & Pick<ApprovalRow, 'fingerprint'>): KeptFingerprint {
      if (!row.fingerprint) return 'none';
      try {
        return JSON.parse(box.open(row.fingerprint, contextOf(row))) as Fingerprint;
      } catch (error) {
        if (error instanceof UnknownKeyError) return 'locked';
        throw error;
      }
    },
  };
}

/** Moves the fingerprints of turns that are not over to the current key. Returns how many there are. */
export async function resealFingerprints(tx: Transaction, box: Pick<SecretBox, 'reseal'>): Promise<number> {
  const rows = await approvalStore.lockFingerprintsAcrossWorkspaces(tx);
  for (const row of rows) {
    const fingerprint = box.reseal(row.fingerprint, contextOf(row));
    if (fingerprint === row.fingerprint) continue;
    await approvalStore.replaceFingerprint(tx, row.workspaceId, row.id, fingerprint);
  }
  return rows.length;
}

/** Bound in, so that no fingerprint can be passed off as that of another approval. */
function contextOf({ id, workspaceId }: Kept): string {
  return `approval fingerprint ${workspaceId} ${id}`;
}
