import type { Transaction } from '../database/database.ts';
import { type SecretBox, UnknownKeyError } from '../secrets/secret-box.ts';
import type { Fingerprint } from '../tools/tools.service.ts';
import { type ApprovalRow, approvalStore } from './approvals.store.ts';

export type KeptFingerprint = Fingerprint | 'none' | 'locked';

type Kept = Pick<ApprovalRow, 'id' | 'workspaceId'>;

/**
 * Fingerprints as approvals store them. They are encrypted, not keyed hashes: after a change of the encryption key a keyed hash
 * could neither be checked nor computed again without the old tool.
 */
export function createFingerprints(box: Pick<SecretBox, 'seal' | 'open'>) {
  return {
    /** The caller's transaction must have locked the encryption key. */
    seal(kept: Kept, { tool, offer }: Fingerprint): Buffer {
      return box.seal(JSON.stringify({ tool, offer }), contextOf(kept));
    },

    /** `none`: nothing was stored. `locked`: this node lacks the key, which says nothing about the tool. */
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

/** Authenticated with it, so that a fingerprint cannot be moved to another approval. */
function contextOf({ id, workspaceId }: Kept): string {
  return `approval fingerprint ${workspaceId} ${id}`;
}
