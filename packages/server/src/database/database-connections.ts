import { type Database, defaultMaxConnections } from './database.ts';
import { sql } from './drizzle.ts';

/** Connections of a process beside its pool: urgent statements, counting requests, two listeners, building an index. */
const besidePool = 5;
/** Left for commands, the operator and PostgreSQL itself. */
const spare = 20;
/** The embedded server reserves memory for each, so there is an end even on the largest machines. */
const maxOfServer = 600;
const minOfServer = 100;
/** With fewer, a burst of requests would wait for connections rather than for the database. */
const minPool = 4;

/** How many connections the embedded server has to allow. */
export function connectionsFor(processes: number): number {
  const wanted = processes * (defaultMaxConnections + besidePool) + spare;
  return Math.min(Math.max(wanted, minOfServer), maxOfServer);
}

/** The size of each process's pool, so that all of them together fit on a server that allows this many connections. */
export function poolSizeFor(processes: number, allowed: number): number {
  const fair = Math.floor((allowed - spare) / processes) - besidePool;
  return Math.min(Math.max(fair, minPool), defaultMaxConnections);
}

/** Whether this many processes, with the pools above, fit on a server that allows this many connections. */
export function canServe(processes: number, allowed: number): boolean {
  return processes * (poolSizeFor(processes, allowed) + besidePool) + spare <= allowed;
}

/** How many connections the server allows. One that we did not start ourselves may allow fewer than we need. */
export async function readAllowedConnections(database: Database): Promise<number> {
  const { rows } = await database.acrossWorkspaces.execute<{ allowed: number }>(
    sql`select current_setting('max_connections')::int as allowed`,
  );
  return rows[0]?.allowed ?? minOfServer;
}
