import { recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import { keyStore } from './keys.store.ts';

/** A key that works, as a part of what somebody has made. */
export interface HeldKey {
  id: string;
  name: string;
  abilities: string[];
  createdAt: Date;
}

/** Keys by their makers. A key that was made with a key counts as made by whoever made the first. */
export const heldKeys = {
  /** The ids of all keys that a member has made, including those that do not work any more: they may have made others. */
  listIds: keyStore.listMadeBy,

  /**
   * The same, locked: none of them makes another one until the transaction ends. A key that is being made with one of them is
   * waited for, and is part of the result.
   */
  async lockIds(tx: Transaction, workspaceId: string, memberId: string): Promise<string[]> {
    let locked: string[] = [];
    for (;;) {
      const found = await keyStore.listMadeBy(tx, workspaceId, memberId);
      if (found.length === locked.length) return locked;
      await keyStore.lock(tx, workspaceId, found);
      locked = found;
    }
  },

  list: keyStore.listWorking,

  /** Notifies every node when the transaction commits. */
  async revoke(
    tx: Transaction,
    workspaceId: string,
    { id, name }: Pick<HeldKey, 'id' | 'name'>,
    reason: string,
  ): Promise<void> {
    const { isChanged } = await keyStore.revokeAcrossWorkspaces(tx, id);
    const changes = [{ field: 'reason', before: null, after: reason }];
    if (isChanged)
      await recordChange(tx, workspaceId, { action: 'key.revoked', object: { id, name }, changes });
  },
};
