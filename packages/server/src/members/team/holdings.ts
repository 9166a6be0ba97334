import type { MemberHolding } from '@svc/contract/console-session';
import { abilitiesOf, type Role } from '@svc/contract/roles';
import { recordChange } from '../../audit/service.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { heldKeys } from '../../keys/service.ts';
import { invitationStore } from '../invitations/store.ts';

/** Something that lets whoever has it act in the workspace, and who would not have it without the member who made it. */
export interface Holding {
  type: MemberHolding['type'];
  id: string;
  /** Null for an invitation that names nobody. */
  name: string | null;
  createdAt: Date;
  /** What it can do, or what somebody must be able to do to make it. */
  abilities: readonly string[];
}

type Made = Pick<Holding, 'id' | 'name' | 'createdAt'>;

/** What later features let people make. Creators are members and account keys. */
export interface MadeByMembers {
  /** Those that still work. */
  list(query: Queryable, workspaceId: string, creators: string[]): Promise<Made[]>;
  /** Takes effect on every node when the transaction commits. */
  revoke(tx: Transaction, workspaceId: string, id: string, reason: string): Promise<void>;
}

export interface HoldingKinds {
  machines: MadeByMembers;
  identitySecrets: MadeByMembers;
}

export type Holdings = ReturnType<typeof createHoldings>;

/** What members have made that would outlive their rights. */
export function createHoldings({ machines, identitySecrets }: HoldingKinds) {
  async function list(
    query: Queryable,
    workspaceId: string,
    userId: string,
    keyIds: string[],
  ): Promise<Holding[]> {
    const creators = [userId, ...keyIds];
    const keys = await heldKeys.list(query, workspaceId, keyIds);
    const paired = await machines.list(query, workspaceId, creators);
    const secrets = await identitySecrets.list(query, workspaceId, creators);
    const invitations = await invitationStore.listBy(query, workspaceId, userId);
    return [
      ...keys.map((key) => ({ ...key, type: 'key' as const })),
      ...paired.map((one) => ({ ...one, type: 'machine' as const, abilities: ['machines:write'] })),
      ...secrets.map((one) => ({ ...one, type: 'identity_secret' as const, abilities: ['widgets:write'] })),
      ...invitations.map(({ id, email: name, createdAt }) => {
        const abilities = ['workspace:write'];
        return { type: 'invitation' as const, id, name, createdAt, abilities };
      }),
    ];
  }

  async function revoke(
    tx: Transaction,
    workspaceId: string,
    { type, id, name }: Holding,
    reason: string,
  ): Promise<void> {
    switch (type) {
      case 'key':
        return heldKeys.revoke(tx, workspaceId, { id, name: name ?? '' }, reason);
      case 'machine':
        return machines.revoke(tx, workspaceId, id, reason);
      case 'identity_secret':
        return identitySecrets.revoke(tx, workspaceId, id, reason);
      case 'invitation': {
        await invitationStore.delete(tx, workspaceId, id);
        const changes = [{ field: 'reason', before: null, after: reason }];
        await recordChange(tx, workspaceId, { action: 'invitation.revoked', object: { id }, changes });
      }
    }
  }

  return {
    /** Everything that works and that the member made, or a key that they made. */
    async listOf(query: Queryable, workspaceId: string, userId: string): Promise<Holding[]> {
      return list(query, workspaceId, userId, await heldKeys.listIds(query, workspaceId, userId));
    },

    /**
     * Revokes what exceeds what is left to a member, and returns it. The member is locked, so that nothing is made in their name
     * meanwhile.
     */
    async revokeBeyond(
      tx: Transaction,
      workspaceId: string,
      userId: string,
      { role, reason }: { role: Role | undefined; reason: string },
    ): Promise<Holding[]> {
      const keyIds = await heldKeys.lockIds(tx, workspaceId, userId);
      const held = await list(tx, workspaceId, userId, keyIds);
      const revoked = held.filter((holding) => exceeds(holding, role));
      for (const holding of revoked) await revoke(tx, workspaceId, holding, reason);
      return revoked;
    },
  };
}

/** Whether it can do more than a role, or is more than a role may make. Somebody without a role has nothing left. */
export function exceeds({ abilities }: Pick<Holding, 'abilities'>, role: Role | undefined): boolean {
  if (role === undefined) return true;
  const allowed: ReadonlySet<string> = abilitiesOf(role);
  return abilities.some((ability) => (ability === 'all' ? role !== 'owner' : !allowed.has(ability)));
}
