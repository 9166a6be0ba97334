import type { Log } from '../lib/log.ts';
import { type Database, openDatabase, type Queryable } from './database.ts';
import { sql } from './drizzle.ts';

/** Runs reads whose results may be some seconds old: on the replica while it keeps up, otherwise on the database itself. */
export type ReadReplica = <Result>(work: (from: Database) => Promise<Result>) => Promise<Result>;

export interface ReplicaOptions {
  /** Left out: there is none. */
  url: string | undefined;
  database: Database;
  /** The heartbeats of this node show how old the replica is, and whose copy. */
  nodeId: string;
  log: Log;
}

const checkEveryMilliseconds = 2_000;
const maxBehindMilliseconds = 30_000;
/** After a search that failed there, such as one that took too long. */
const pauseMilliseconds = 30_000;
/** The database itself is there if the replica hangs. */
const statementMilliseconds = 5_000;
/** Of each process. Searches are short, and the server may have to serve many processes. */
const maxConnections = 10;

/** A hot standby of the database. */
export function openReplica({ url, database, nodeId, log }: ReplicaOptions): {
  read: ReadReplica;
  close(): Promise<void>;
} {
  if (!url) return { read: (work) => work(database), close: async () => undefined };
  const replica = openDatabase({
    connection: {
      connectionString: url,
      connectionTimeoutMillis: 2_000,
      statement_timeout: statementMilliseconds,
      query_timeout: statementMilliseconds + 1_000,
    },
    maxConnections,
    urgentMilliseconds: statementMilliseconds,
    // The check reports it.
    onConnectionError: () => undefined,
  });
  let isUsed = false;
  let pausedUntil = 0;
  let failedChecks = 0;
  /** Since it was last used: an outage is logged once. */
  let isReported = false;
  let checking: Promise<void> | undefined;
  const timer = setInterval(startCheck, checkEveryMilliseconds).unref();
  startCheck();

  function startCheck(): void {
    checking ??= check().finally(() => {
      checking = undefined;
    });
  }

  async function check(): Promise<void> {
    const fault = await findFault().catch((error: unknown) => ({ reason: 'it cannot be read', err: error }));
    if (performance.now() < pausedUntil) return;
    failedChecks = fault ? failedChecks + 1 : 0;
    // The first heartbeat of a node takes a moment to arrive there.
    if (fault && (isUsed || failedChecks > 1)) report(fault);
    if (!fault && !isUsed) log.info('Knowledge is searched on the replica.');
    isUsed = !fault;
    if (isUsed) isReported = false;
  }

  async function findFault(): Promise<{ reason: string } | undefined> {
    const [there, here] = await Promise.all([beatOf(replica.urgent), beatOf(database.urgent)]);
    if (there === undefined || here === undefined)
      return {
        reason: 'it has no heartbeat of this node, so it belongs to another database or is far behind',
      };
    const behind = here - there;
    return behind > maxBehindMilliseconds
      ? { reason: `it is ${Math.round(behind / 1000)} seconds behind` }
      : undefined;
  }

  async function beatOf(query: Queryable): Promise<number | undefined> {
    const { rows } = await query.execute<{ at: string }>(
      sql`select extract(epoch from seen_at) * 1000 as at from nodes where id = ${nodeId}`,
    );
    return rows[0] && Number(rows[0].at);
  }

  function report(fault: { reason: string; err?: unknown }): void {
    if (isReported) return;
    isReported = true;
    log.warn(fault, 'The replica is not used: knowledge is searched on the database itself.');
  }

  return {
    async read(work) {
      if (!isUsed) return work(database);
      try {
        return await work(replica);
      } catch (error) {
        report({ reason: 'a search failed there', err: error });
        isUsed = false;
        pausedUntil = performance.now() + pauseMilliseconds;
        return work(database);
      }
    },
    async close() {
      clearInterval(timer);
      await checking;
      await replica.close();
    },
  };
}
