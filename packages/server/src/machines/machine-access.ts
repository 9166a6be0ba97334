import type { Confirmation } from '@svc/contract/machine-protocol';
import type { Database, Queryable } from '../database/database.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import { machineStore } from './machines.store.ts';

/** On whose behalf a machine is used. */
export interface MachineUser {
  /** The member or account key that sent the turn; undefined if neither did, such as for visitors and telephone calls. */
  callerId: string | undefined;
  /** Undefined when a person acts without a bot, such as in the test of a tool. */
  botId: string | undefined;
}

export interface UsableMachine {
  /** What people call it. */
  name: string;
  /** Undefined if its daemon reports none. */
  confirmation: Confirmation | undefined;
}

/** Who may use which machine, by what the database says now. */
export function createMachineAccess({ database }: { database: Database }) {
  /**
   * Throws NOT_FOUND if the machine is unknown or revoked, and FORBIDDEN unless its owner has allowed both the person and the
   * bot.
   */
  async function requireUse(
    workspaceId: string,
    machineId: string,
    { callerId, botId }: MachineUser,
    query: Queryable = database.within(workspaceId),
  ): Promise<UsableMachine> {
    const found = await machineStore.findUse(query, workspaceId, machineId, callerId);
    if (!found || found.revokedAt) throw notFound();
    const { name, ownerId, ownerName, holderId, allowedMembers, allowedBots, confirmation } = found;
    const owner = ownerName === null ? 'its owner' : `its owner, ${ownerName},`;
    const isOwner = holderId !== null && holderId === ownerId;
    if (!isOwner && !(holderId !== null && allowedMembers.includes(holderId)))
      throw forbidden(
        callerId === undefined
          ? `The machine "${name}" works only for members whom its owner allows, and nobody of this workspace sent this.`
          : `You may not use the machine "${name}": ${owner} has to allow it.`,
      );
    if (botId !== undefined && !allowedBots.includes(botId))
      throw forbidden(
        isOwner
          ? `This bot may not work on the machine "${name}": allow it there first (allowed_bots of the machine).`
          : `This bot may not work on the machine "${name}": ${owner} has to allow it.`,
      );
    return { name, confirmation: confirmation ?? undefined };
  }

  return {
    requireUse,

    /** Throws FORBIDDEN unless the person may use all of these machines, and all on which one of these bots may work. */
    async requireUseOfAll(
      query: Queryable,
      workspaceId: string,
      used: { machineIds: string[]; botIds: string[] },
      callerId: string | undefined,
    ): Promise<void> {
      for (const machineId of await machineStore.listUsed(query, workspaceId, used))
        await requireUse(workspaceId, machineId, { callerId, botId: undefined }, query);
    },
  };
}

function forbidden(message: string): AppError {
  return new AppError('FORBIDDEN', { message });
}
