import type { Ability } from '@svc/contract/abilities';
import type { Transaction } from '../database/database.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';

/** The caller that a valid key stands for. */
export interface Principal {
  workspaceId: string;
  keyId: string;
  abilities: ReadonlySet<Ability>;
  /** Whether the key also has abilities that are added later. */
  hasAll: boolean;
  expiresAt: Date | null;
  /** The limits set for the workspace. */
  limits: StoredLimits;
  /**
   * For what outlives the request: throws unless the caller still has the rights that it came in with, and keeps them
   * from being taken away until the transaction ends.
   */
  confirm(tx: Transaction): Promise<void>;
}
