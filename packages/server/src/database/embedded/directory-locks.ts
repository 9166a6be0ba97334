import type { ClientBase } from 'pg';
import type { Role } from './role.ts';

// Session locks of the maintenance database: they end with the connection, and that with the process, however it dies.
const lockSpace = 0x737663;
/** Shared by everybody who uses the server; whoever gets it alone may stop the server. */
const useLock = 1;
/** Held by the one service of the data directory. */
const serviceLock = 2;

export type LockOutcome =
  | { kind: 'joined' }
  /** Its last user is about to stop the server. */
  | { kind: 'closing' }
  | { kind: 'taken'; processId: number | undefined };

export function applicationName(role: Role): string {
  return `svc ${role} ${process.pid}`;
}

/** The service's lock comes first, so that a service that is turned away never keeps a server from being stopped. */
export async function takeLocks(client: ClientBase, role: Role): Promise<LockOutcome> {
  if (role === 'service' && !(await lock(client, 'pg_try_advisory_lock', serviceLock))) {
    return { kind: 'taken', processId: await findService(client) };
  }
  const joined = await lock(client, 'pg_try_advisory_lock_shared', useLock);
  return { kind: joined ? 'joined' : 'closing' };
}

/**
 * Gives up all locks and tells whether nobody else uses the server; from then on nobody can join it. Of several that
 * leave in the same moment the last to ask finds itself alone, so none leaves the server behind.
 */
export async function leaveLocks(client: ClientBase): Promise<{ alone: boolean }> {
  await client.query('select pg_advisory_unlock_all()');
  return { alone: await lock(client, 'pg_try_advisory_lock', useLock) };
}

async function lock(
  client: ClientBase,
  take: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  key: number,
): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select ${take}($1::int, $2::int) as taken`, [
    lockSpace,
    key,
  ]);
  return rows[0]?.taken === true;
}

async function findService(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select activity.application_name as name
       from pg_locks join pg_stat_activity as activity using (pid)
      where locktype = 'advisory' and granted and classid = $1 and objid = $2 and objsubid = 2`,
    [lockSpace, serviceLock],
  );
  const processId = Number(rows[0]?.name.split(' ').at(-1));
  return processId > 0 ? processId : undefined;
}
