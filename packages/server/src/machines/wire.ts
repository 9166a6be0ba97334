import type { Machine } from '@svc/contract/machines';
import type { ListedMachine } from './store.ts';

export function toWire(machine: ListedMachine): Machine {
  return {
    id: machine.id,
    name: machine.name,
    status: statusOf(machine),
    platform: machine.platform,
    version: machine.version,
    roots: machine.roots,
    sandbox: machine.sandbox,
    last_seen_at: machine.lastSeenAt?.toISOString() ?? null,
    created_at: machine.createdAt.toISOString(),
  };
}

function statusOf({ revokedAt, isConnected }: ListedMachine): Machine['status'] {
  if (revokedAt) return 'revoked';
  return isConnected ? 'online' : 'offline';
}
