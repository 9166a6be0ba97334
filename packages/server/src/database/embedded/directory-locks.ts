import type { ClientBase } from 'pg';

/** A service has the data directory to itself; a command works beside a running service or without one. */
export type Role = 'service' | 'command';

// Session locks in the maintenance database: they end with the connection, which ends with the process, however it dies.
const lockSpace = 0x737663;
/** Shared by every process that uses the server; a process that gets it exclusively may stop the server. */
const useLock = 1;
/** Held by the one service of the data directory. */
const serviceLock = 2;

export type LockOutcome =
  | { kind: 'joined' }
  /** The last process that used the server is about to stop it. */
  | { kind: 'closing' }
  | { kind: 'taken'; processId: number | undefined };

export function applicationName(role: Role): string {
  return `svc ${role} ${process.pid}`;
}

/** The service's lock comes first, so that a service that is refused never prevents a server from being stopped. */
export async function takeLocks(client: ClientBase, role: Role): Promise<LockOutcome> {
  if (role === 'service' && !(await lock(client, 'pg_try_advisory_lock', serviceLock))) {
    return { kind: 'taken', processId: await findService(client) };
  }
  const joined = await lock(client, 'pg_try_advisory_lock_shared', useLock);
  return { kind: joined ? 'joined' : 'closing' };
}

/**
 * Releases all locks and returns whether no other process uses the server; if so, none can join it anymore. When
 * several leave at the same time, the last of them finds itself alone, so the server is never left behind.
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
