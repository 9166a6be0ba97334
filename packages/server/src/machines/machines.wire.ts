import type { Machine } from '@svc/contract/machines';
import type { ListedMachine } from './machines.store.ts';

export function toWire(machine: ListedMachine): Machine {
  return {
    id: machine.id,
    name: machine.name,
    status: statusOf(machine),
    platform: machine.platform,
    version: machine.version,
    roots: machine.roots,
    sandbox: machine.sandbox,
    policy: machine.policy,
    confirmation: machine.confirmation,
    runs_commands: machine.runsCommands,
    owner:
      machine.ownerId === null
        ? null
        : { type: machine.isOwnedByKey ? 'key' : 'member', id: machine.ownerId, name: machine.ownerName },
    allowed_members: machine.allowedMembers,
    allowed_bots: machine.allowedBots,
    last_seen_at: machine.lastSeenAt?.toISOString() ?? null,
    created_at: machine.createdAt.toISOString(),
  };
}

function statusOf({ revokedAt, isConnected }: ListedMachine): Machine['status'] {
  if (revokedAt) return 'revoked';
  return isConnected ? 'online' : 'offline';
}
