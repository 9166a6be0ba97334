import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { waitAtMost } from '../lib/wait-at-most.ts';
import { drizzle } from './drizzle.ts';
import { beginWithin, prepareToEnter, WorkspaceStatement } from './workspace-statement.ts';

export { isConnectionFailure, isDeadlock, isRowMissing, violates } from './driver-error.ts';

type Builder = Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

/** A statement that PostgreSQL plans once per connection, for those that every turn runs. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs queries: in an open transaction, or each on its own. */
export interface Queryable extends Builder {
  prepared<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** A built query that is compiled to SQL once and then run by name: building one costs more than running it. */
  compiled<Compiled>(name: string, build: () => { prepare(name: string): Compiled }): Compiled;
  /** Runs SQL as it is, for libraries that bring their own statements. */
  raw(text: string, values?: unknown[]): Promise<{ rows: object[] }>;
}

/** An open transaction. */
export interface Transaction extends Queryable {
  readonly isTransaction: true;
}

export type Connection = pg.PoolConfig;

/** Statements on their own, or several in one transaction. */
export interface Statements extends Queryable {
  /** Commits when `work` returns and rolls back when it throws. Never hold one over I/O. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

export interface Database {
  /** Statements of one workspace: PostgreSQL shows them its rows only, and accepts no others. See row-level-security.ts. */
  within(workspaceId: string): Statements;
  /**
   * Statements that concern several workspaces or none, or that find out which one: looking up a key, sweeps, leases,
   * commands of the operator. Nothing but their own conditions limits what they see.
   */
  acrossWorkspaces: Statements;
  /** The same on a separate connection, for short statements that must not wait behind the rest. */
  urgent: Queryable;
  /** The same on another connection, for counting requests: a flood of them must not delay what is urgent. */
  counting: Queryable;
  /** Called when a commit fails, until the returned function is called: it may have been carried out. */
  onUncertainCommit(callback: () => void): () => void;
  /** A separate connection, for LISTEN and advisory locks; the caller ends it. */
  connect(applicationName: string): Promise<pg.Client>;
  /** How busy the connections are at the moment. */
  pools(): PoolState[];
  /** Waits for running queries. Repeated calls are harmless. */
  close(): Promise<void>;
}

export interface PoolState {
  pool: 'main' | 'urgent' | 'counting';
  inUse: number;
  idle: number;
  /** Statements and transactions that wait for a connection. */
  waiting: number;
  /** How many have had to wait since the start. */
  waits: number;
}

export interface OpenDatabaseOptions {
  connection: Connection;
  maxConnections?: number;
  /** How long a statement on one of the separate connections may take before the connection counts as lost. */
  urgentMilliseconds?: number;
  /** Receives errors of idle connections, to log them; the pool replaces lost connections by itself. */
  onConnectionError: (error: Error) => void;
}

/** What one process keeps busy at most. */
export const defaultMaxConnections = 20;
/** A server that does not respond within this time counts as unreachable. */
const connectMilliseconds = 10_000;
/** These statements are short, and a connection that broke unnoticed must not delay the next one. */
const urgentMilliseconds = 10_000;
/** In a burst of requests, waiting for a connection that others use is not a failure. */
const waitMilliseconds = 60_000;

export function openDatabase(options: OpenDatabaseOptions): Database {
  const settings = {
    application_name: 'svc',
    connectionTimeoutMillis: connectMilliseconds,
    keepAlive: true,
    ...options.connection,
  };

  function openPool(max: number, own: Connection = {}): CountedPool {
    /** The pool has a single limit for waiting and connecting, so each connection gets its own limit here. */
    class PooledClient extends pg.Client {
      constructor() {
        super({ ...settings, ...own });
      }
    }
    const limits = { max, idleTimeoutMillis: 60_000, connectionTimeoutMillis: waitMilliseconds };
    const opened = new CountedPool({
      ...settings,
      ...limits,
      Client: PooledClient,
      onConnect: prepareConnection,
    });
    // The pool listens to idle connections only: losing one during a transaction would end the process.
    opened.on('connect', (client) => void client.on('error', options.onConnectionError));
    // The connection itself has reported it already.
    opened.on('error', () => undefined);
    return opened;
  }

  const pool = openPool(options.maxConnections ?? defaultMaxConnections);
  const separate = { query_timeout: options.urgentMilliseconds ?? urgentMilliseconds };
  const urgentPool = openPool(1, separate);
  // Connects when it is first used: without a limit on requests it costs nothing.
  const countingPool = openPool(1, separate);
  /** Of the statements of workspaces, and of transactions. */
  const compiled = new Map<string, object>();
  const uncertainCallbacks = new Set<() => void>();
  let closing: Promise<void> | undefined;

  async function commit(client: pg.PoolClient): Promise<void> {
    try {
      await client.query('commit');
    } catch (error) {
      for (const callback of uncertainCallbacks) callback();
      throw error;
    }
  }

  /** Until it has ended: after that, the connection serves other queries, with access to all workspaces. */
  function transactionOn(client: pg.PoolClient): { tx: Transaction; end: () => void } {
    let hasEnded = false;
    const runner: Runner = {
      query: (config, values) =>
        hasEnded
          ? Promise.reject(new Error('This transaction has ended: its statements belong inside it.'))
          : client.query(config, values),
    };
    const tx = Object.assign(queryable(runner, compiled), { isTransaction: true as const });
    return {
      tx,
      end: () => {
        hasEnded = true;
      },
    };
  }

  async function transaction<Result>(
    begin: string,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const client = await pool.connect();
    const { tx, end } = transactionOn(client);
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const result = await work(tx);
      end();
      await commit(client);
      return result;
    } catch (error) {
      end();
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return {
    within(workspaceId) {
      const runner: Runner = {
        query: (config, values) => {
          const statement = new WorkspaceStatement(workspaceId, toConfig(config, values));
          // With a statement made by us the pool returns a promise too, which its types do not know.
          return pool.query(statement) as unknown as Promise<pg.QueryResult<never>>;
        },
      };
      return Object.assign(queryable(runner, compiled), {
        transaction: <Result>(work: (tx: Transaction) => Promise<Result>) =>
          transaction(beginWithin(workspaceId), work),
      });
    },
    acrossWorkspaces: Object.assign(queryable(pool), {
      transaction: <Result>(work: (tx: Transaction) => Promise<Result>) => transaction('begin', work),
    }),
    urgent: queryable(urgentPool),
    counting: queryable(countingPool),
    onUncertainCommit(callback) {
      uncertainCallbacks.add(callback);
      return () => void uncertainCallbacks.delete(callback);
    },
    async connect(applicationName) {
      const client = new pg.Client({ ...settings, application_name: applicationName });
      client.on('error', options.onConnectionError);
      await client.connect();
      return client;
    },
    pools: () => [
      { pool: 'main', ...pool.state() },
      { pool: 'urgent', ...urgentPool.state() },
      { pool: 'counting', ...countingPool.state() },
    ],
    close() {
      closing ??= Promise.all([pool.end(), urgentPool.end(), countingPool.end()]).then(() => undefined);
      return closing;
    },
  };
}

/** Counts how often its connections are all in use when one is needed. Every statement and transaction comes through `connect`. */
class CountedPool extends pg.Pool {
  #waits = 0;

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (this.idleCount === 0 && this.totalCount >= this.options.max) this.#waits += 1;
    return callback ? super.connect(callback) : super.connect();
  }

  state(): Omit<PoolState, 'pool'> {
    const { totalCount, idleCount, waitingCount } = this;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, waits: this.#waits };
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** What drizzle and we need of a pool or a connection. */
interface Runner {
  query<Row extends pg.QueryResultRow>(
    config: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

/** The pool waits for it, which its types do not know. */
const prepareConnection = ((client: pg.ClientBase) => client.query(prepareToEnter)) as (
  client: pg.ClientBase,
) => void;

function toConfig(config: string | pg.QueryConfig, values: unknown[] | undefined): pg.QueryConfig {
  const named = typeof config === 'string' ? { text: config } : config;
  return values === undefined ? named : { ...named, values };
}

function queryable(runner: Runner, compiled = new Map<string, object>()): Queryable {
  const builder = drizzle(runner as pg.Pool);
  return Object.assign(builder, {
    compiled<Compiled>(name: string, build: () => { prepare(name: string): Compiled }): Compiled {
      const known = compiled.get(name) ?? (build().prepare(name) as object);
      compiled.set(name, known);
      // Compiled statements are shared by all workspaces, so each use names the runner that it belongs to.
      return Object.assign(Object.create(known), { client: runner }) as Compiled;
    },
    async prepared<Row extends object>({ name, text }: Statement, values: unknown[]): Promise<Row[]> {
      return (await runner.query<Row>({ name, text, values })).rows;
    },
    raw: (text: string, values?: unknown[]) => runner.query<object>(text, values),
  });
}

/** Whether PostgreSQL responds within two seconds. */
export async function canAnswer(database: Database): Promise<boolean> {
  return waitAtMost(2_000, database.acrossWorkspaces.execute('select 1')).catch(() => false);
}
