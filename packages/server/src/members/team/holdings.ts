import type { MemberHolding } from '@svc/contract/console-session';
import { abilitiesOf, type Role } from '@svc/contract/roles';
import { recordChange } from '../../audit/audit.service.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { heldKeys } from '../../keys/keys.service.ts';
import { invitationStore } from '../invitations/invitations.store.ts';

/** Something that lets a member act in the workspace beside their role, or whoever has it because the member made it. */
export interface Holding {
  type: MemberHolding['type'];
  id: string;
  /** Null for an invitation that names nobody. */
  name: string | null;
  createdAt: Date;
  /** What it can do, or what somebody must be able to do to make it. */
  abilities: readonly string[];
}

type Held = Pick<Holding, 'id' | 'name' | 'createdAt'>;

/** A member. */
export interface Leaver {
  userId: string;
  email: string;
}

export interface Holder extends Leaver {
  /** The member and all account keys that they made. */
  creators: string[];
}

/** What later features let people make, or give them. */
export interface HoldingKind {
  /** Those that still work. */
  list(query: Queryable, workspaceId: string, holder: Holder): Promise<Held[]>;
  /** Takes effect on every node when the transaction commits. */
  revoke(tx: Transaction, workspaceId: string, id: string, reason: string, holder: Holder): Promise<void>;
}

export interface HoldingKinds {
  machines: HoldingKind;
  machineUses: HoldingKind;
  identitySecrets: HoldingKind;
  approvalNotices: HoldingKind;
}

export type Holdings = ReturnType<typeof createHoldings>;

/** What members have made or were given that would outlive their rights. */
export function createHoldings(kinds: HoldingKinds) {
  const { machines, machineUses, identitySecrets, approvalNotices } = kinds;
  async function list(
    query: Queryable,
    workspaceId: string,
    holder: Holder,
    keyIds: string[],
  ): Promise<Holding[]> {
    const keys = await heldKeys.list(query, workspaceId, keyIds);
    const paired = await machines.list(query, workspaceId, holder);
    const uses = await machineUses.list(query, workspaceId, holder);
    const secrets = await identitySecrets.list(query, workspaceId, holder);
    const notices = await approvalNotices.list(query, workspaceId, holder);
    const invitations = await invitationStore.listBy(query, workspaceId, holder.userId);
    return [
      ...keys.map((key) => ({ ...key, type: 'key' as const })),
      ...paired.map((one) => ({ ...one, type: 'machine' as const, abilities: ['machines:write'] })),
      ...uses.map((one) => ({ ...one, type: 'machine_use' as const, abilities: ['machines:write'] })),
      ...secrets.map((one) => ({ ...one, type: 'identity_secret' as const, abilities: ['widgets:write'] })),
      ...notices.map((one) => ({ ...one, type: 'approval_notice' as const, abilities: ['approvals:write'] })),
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
    holder: Holder,
  ): Promise<void> {
    switch (type) {
      case 'key':
        return heldKeys.revoke(tx, workspaceId, { id, name: name ?? '' }, reason);
      case 'machine':
        return machines.revoke(tx, workspaceId, id, reason, holder);
      case 'machine_use':
        return machineUses.revoke(tx, workspaceId, id, reason, holder);
      case 'identity_secret':
        return identitySecrets.revoke(tx, workspaceId, id, reason, holder);
      case 'approval_notice':
        return approvalNotices.revoke(tx, workspaceId, id, reason, holder);
      case 'invitation': {
        await invitationStore.delete(tx, workspaceId, id);
        const changes = [{ field: 'reason', before: null, after: reason }];
        await recordChange(tx, workspaceId, { action: 'invitation.revoked', object: { id }, changes });
      }
    }
  }

  return {
    /** Everything that works and that the member has, made, or made with a key of theirs. */
    async listOf(query: Queryable, workspaceId: string, member: Leaver): Promise<Holding[]> {
      const keyIds = await heldKeys.listIds(query, workspaceId, member.userId);
      return list(query, workspaceId, { ...member, creators: [member.userId, ...keyIds] }, keyIds);
    },

    /**
     * Revokes what exceeds what is left to a member, and returns it. The member is locked, so that nothing is made in their name
     * meanwhile.
     */
    async revokeBeyond(
      tx: Transaction,
      workspaceId: string,
      member: Leaver,
      { role, reason }: { role: Role | undefined; reason: string },
    ): Promise<Holding[]> {
      const keyIds = await heldKeys.lockIds(tx, workspaceId, member.userId);
      const holder = { ...member, creators: [member.userId, ...keyIds] };
      const held = await list(tx, workspaceId, holder, keyIds);
      const revoked = held.filter((holding) => exceeds(holding, role));
      for (const holding of revoked) await revoke(tx, workspaceId, holding, reason, holder);
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
