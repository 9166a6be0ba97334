import type { AccountKey } from '@svc/contract/keys';
import type { KeyRow } from './keys.store.ts';

type Shown = Omit<KeyRow, 'hash'>;

/** The fields of a key that are shown both on creation and in lists. */
export function toDocument(row: Omit<Shown, 'createdBy' | 'lastUsedAt'>) {
  return {
    id: row.id,
    name: row.name,
    abilities: row.abilities as AccountKey['abilities'],
    workspace_id: row.workspaceId,
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}

export function toWire(row: Shown): AccountKey {
  return {
    ...toDocument(row),
    hint: row.hint,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}
