import { createHash } from 'node:crypto';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { lockEncryptionKey } from '../database/key-lock.ts';
import type { Principal } from '../keys/keys.service.ts';
import { makeKey } from '../secrets/bearer-key.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { recordIdentitySecret } from './key-audit.ts';
import { type WidgetKeyRow, widgetKeyStore } from './widgets.store.ts';

/** The secrets with which sites sign the ids of their users. They are encrypted, because signatures are computed from them. */
export function createIdentitySecrets(database: Database, box: Pick<SecretBox, 'seal' | 'open'>) {
  const open = (row: WidgetKeyRow) =>
    row.identitySecret ? box.open(row.identitySecret, contextOf(row)) : null;

  return {
    /** A new secret, which replaces an earlier one, and the key as it was. Undefined when there is no such key. */
    async create(
      tx: Transaction,
      { workspaceId, keyId: createdBy, confirm }: Pick<Principal, 'workspaceId' | 'keyId' | 'confirm'>,
      keyId: string,
    ): Promise<{ secret: string; before: WidgetKeyRow } | undefined> {
      await confirm(tx);
      // Locked before the key, as when the encryption key is changed: another order could deadlock.
      await lockEncryptionKey(tx);
      const before = await widgetKeyStore.lock(tx, workspaceId, keyId);
      if (!before) return undefined;
      const secret = makeKey('svc_is_');
      const identitySecret = box.seal(secret, contextOf({ id: keyId, workspaceId }));
      await widgetKeyStore.update(tx, workspaceId, keyId, { identitySecret, identitySecretBy: createdBy });
      return { secret, before };
    },

    /** Null when the key has none. */
    async read(workspaceId: string, keyId: string): Promise<string | null> {
      const row = await widgetKeyStore.find(database.within(workspaceId), workspaceId, keyId);
      return row ? open(row) : null;
    },

    proofOf(row: WidgetKeyRow): string | null {
      const secret = open(row);
      return secret === null ? null : proofOf(secret);
    },
  };
}

/** Enough of a hash to notice another secret, and too little to learn it. */
export function proofOf(secret: string): string {
  return createHash('sha256').update(`identity ${secret}`).digest('base64url').slice(0, 16);
}

/** Identity secrets by the members or account keys that made them. They are known by the id of their widget key. */
export const heldIdentitySecrets = {
  list: (query: Queryable, workspaceId: string, { creators }: { creators: string[] }) =>
    widgetKeyStore.listSecretsBy(query, workspaceId, creators),

  /** Notifies every node when the transaction commits. */
  async revoke(tx: Transaction, workspaceId: string, keyId: string, reason: string): Promise<void> {
    const row = await widgetKeyStore.lock(tx, workspaceId, keyId);
    if (!row?.identitySecret) return;
    await widgetKeyStore.update(tx, workspaceId, keyId, { identitySecret: null, identitySecretBy: null });
    await recordIdentitySecret(tx, row, false, reason);
  },
};

/** Moves every secret to the current encryption key. Returns how many there are. */
export async function resealIdentitySecrets(tx: Transaction, box: Pick<SecretBox, 'reseal'>) {
  const rows = await widgetKeyStore.lockSecretsAcrossWorkspaces(tx);
  for (const row of rows) {
    const { id, workspaceId, identitySecret } = row;
    const resealed = identitySecret && box.reseal(identitySecret, contextOf(row));
    if (resealed !== identitySecret)
      await widgetKeyStore.update(tx, workspaceId, id, { identitySecret: resealed });
  }
  return rows.length;
}

/** Authenticated with it, so that a secret cannot be moved to another key. */
function contextOf({ id, workspaceId }: Pick<WidgetKeyRow, 'id' | 'workspaceId'>): string {
  return `widget identity secret ${workspaceId} ${id}`;
}
