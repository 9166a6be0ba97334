import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  type Connection,
  type Database,
  openDatabase,
  type Queryable,
  type Transaction,
} from '../../src/database/database.ts';
import { eq, sql } from '../../src/database/drizzle.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import { newId } from '../../src/lib/new-id.ts';
import { workspaces } from '../../src/workspaces/workspaces.tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** Tables whose rows belong to no workspace, or to several. A statement of a workspace has only the rights named here. */
const shared: Record<string, { why: string; rights: string }> = {
  job_holders: { why: 'which node runs which job', rights: '' },
  machine_messages: { why: 'what nodes tell each other to do', rights: '' },
  message_counts: { why: 'counters under keyed hashes', rights: '' },
  nodes: { why: 'heartbeats; claims ask whether a node is alive', rights: 'SELECT' },
  request_counts: { why: 'counters under keyed hashes', rights: '' },
  schema_migrations: { why: 'which migrations were applied', rights: '' },
  user_credentials: { why: 'people belong to no workspace', rights: '' },
  user_sessions: { why: 'people belong to no workspace', rights: '' },
  users: { why: 'people belong to no workspace; of members, three columns are shown', rights: '' },
};

let store: TestDatabase;
const [one, other] = [newId(), newId()];
beforeAll(async () => {
  store = await createTestDatabase();
  await fill(store.database);
});
afterAll(() => store.drop());

async function fill(database: Database): Promise<void> {
  for (const id of [one, other]) {
    await database.acrossWorkspaces.execute(
      sql`insert into workspaces (id, name) values (${id}, ${`of ${id}`})`,
    );
    await database
      .within(id)
      .execute(
        sql`insert into bots (id, workspace_id, name, system_prompt) values (${newId()}, ${id}, ${id}, 'x')`,
      );
  }
}

const readNames = async (query: Pick<Database['acrossWorkspaces'], 'execute'>) =>
  (await query.execute<{ name: string }>(sql`select name from bots order by name`)).rows.map(
    ({ name }) => name,
  );

describe('every table', () => {
  it('of a workspace has its policies, and no other is open to statements of a workspace', async () => {
    const { rows } = await store.database.acrossWorkspaces.execute<Record<string, string>>(sql`
      select tables.relname as name, tables.relrowsecurity and tables.relforcerowsecurity as forced,
        (select string_agg(policies.polname, ' ' order by policies.polname) from pg_policy policies
          where policies.polrelid = tables.oid) as policies,
        (select coalesce(string_agg(grants.privilege_type, ' ' order by grants.privilege_type), '')
          from information_schema.role_table_grants grants where grants.grantee = 'svc_workspace'
            and grants.table_schema = 'public' and grants.table_name = tables.relname) as rights
      from pg_class tables
      where tables.relnamespace = 'public'::regnamespace and tables.relkind in ('r', 'p') order by 1`);
    for (const { name = '', rights, ...found } of rows) {
      const expected = shared[name]
        ? { forced: false, policies: null, rights: shared[name].rights }
        : { forced: true, policies: 'all_rows rows_of_workspace', rights: 'DELETE INSERT SELECT UPDATE' };
      expect({ name, rights, ...found }).toEqual({ name, ...expected });
    }
    expect(rows.length).toBeGreaterThan(40);
  });
});

describe('a statement of a workspace', () => {
  it('that forgot its condition reads no row of another', async () => {
    expect(await readNames(store.database.within(one))).toEqual([one]);
    expect(await readNames(store.database.within(other))).toEqual([other]);
    expect(await readNames(store.database.acrossWorkspaces)).toEqual([one, other]);
  });

  it('changes and deletes none', async () => {
    const query = store.database.within(one);
    const changed = await query.execute(sql`update bots set name = name where workspace_id = ${other}`);
    const deleted = await query.execute(sql`delete from bots where workspace_id = ${other}`);
    expect([changed.rowCount, deleted.rowCount]).toEqual([0, 0]);
  });

  it.each(['insert', 'move'])('cannot %s a row into another', async (kind) => {
    const query = store.database.within(one);
    const statement =
      kind === 'insert'
        ? sql`insert into billing_accounts (workspace_id) values (${other})`
        : sql`update bots set workspace_id = ${other}`;
    const refused = await query.execute(statement).catch((error: Error) => error.cause);
    expect(refused).toMatchObject({ code: '42501' });
  });

  it('cannot read passwords or sessions, and of people only their names and addresses', async () => {
    const query = store.database.within(one);
    await query.raw('select id, name, email from users');
    for (const wanted of ['1 from user_credentials', '1 from user_sessions', '* from users']) {
      const refused = await query.raw(`select ${wanted}`).catch((error: Error) => error);
      expect(refused).toMatchObject({ code: '42501' });
    }
  });

  it('reads no index because of a policy: a plan made while tables are empty would keep it', async () => {
    const plan = await store.database.within(one).transaction(async (tx) => {
      await tx.raw('set local enable_seqscan = off');
      return (await tx.raw('explain select channel from conversations')).rows;
    });
    expect(JSON.stringify(plan)).toMatch(/Filter: [^"]*current_setting/);
    expect(JSON.stringify(plan)).not.toContain('Index Cond');
  });

  it('names an id, or it fails', async () => {
    await expect(readNames(store.database.within(''))).rejects.toThrow();
    await expect(readNames(store.database.within("x', true), set_config('role', 'none"))).rejects.toThrow();
    const inTransaction = store.database.within("'); drop table bots; --").transaction((tx) => readNames(tx));
    await expect(inTransaction).rejects.toThrow();
    expect(await readNames(store.database.acrossWorkspaces)).toEqual([one, other]);
  });
});

describe('at every start', () => {
  it.each([
    ['was weakened', 'alter policy rows_of_workspace on bots using (true)'],
    [
      'was created with another condition',
      `drop policy rows_of_workspace on bots;
      create policy rows_of_workspace on bots to svc_workspace using (name is not null);
      comment on policy rows_of_workspace on bots is 'name is not null => (name IS NOT NULL)'`,
    ],
    ['was joined by another', 'create policy more on bots using (true)'],
    ['was switched off', 'alter table bots disable row level security'],
    ['checks less of what is written', 'alter policy rows_of_workspace on bots with check (true)'],
  ])('a policy that %s is renewed', async (_what, change) => {
    const query = store.database.within(one);
    const write = () => query.execute(sql`update bots set workspace_id = ${other}`);
    await store.database.acrossWorkspaces.raw(change);
    await migrate(store.database);
    expect(await readNames(query)).toEqual([one]);
    await expect(write()).rejects.toThrow();
  });

  it('policies that are as they should be are left alone: replacing one locks its table', async () => {
    const read = async () =>
      (await store.database.acrossWorkspaces.raw('select oid, xmin from pg_policy order by 1')).rows;
    await migrate(store.database);
    const policies = await read();
    await migrate(store.database);
    expect(await read()).toEqual(policies);
  });

  it('rights on columns that were given before are taken away', async () => {
    await store.database.acrossWorkspaces.raw('grant select on users to svc_workspace');
    await migrate(store.database);
    await expect(store.database.within(one).raw('select * from users')).rejects.toThrow('permission denied');
  });
});

describe('jobs', () => {
  it('are rows of their workspace too', () => expectJobsApart(store.database));
});

it('policies are renewed without holding one table while waiting for another', async () => {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  await expectJobsApart(own.database);
  const { acrossWorkspaces } = own.database;
  await acrossWorkspaces.raw(
    'drop policy rows_of_workspace on pgboss.job; drop policy rows_of_workspace on pgboss.job_common',
  );
  const busy = await own.database.connect('busy');
  await busy.query('begin; lock pgboss.job_common in row exclusive mode');
  const renewing = migrate(own.database);
  const waiting = `select count(*)::int as count from pg_locks where not granted and relation = 'pgboss.job_common'::regclass`;
  await expect.poll(async () => (await acrossWorkspaces.raw(waiting)).rows).toEqual([{ count: 1 }]);
  await busy.query('lock pgboss.job in row exclusive mode; commit');
  await renewing;
  await busy.end();
  const { rows } = await own.database.within(one).raw('select distinct data from pgboss.job');
  expect(rows).toEqual([{ data: { workspaceId: one } }]);
});

async function expectJobsApart(database: Database): Promise<void> {
  const times = { retryDelaySeconds: 1, retryDelayMaxSeconds: 1, expireSeconds: 60 };
  const queue = { name: 'letters', retryLimit: 0, ...times };
  const jobs = createJobs({ database, log: pino({ level: 'silent' }) });
  jobs.define(queue, async () => undefined);
  await jobs.start();
  await jobs.stop(0);
  const enqueue = (from: string, to: string) =>
    database.within(from).transaction((tx) => jobs.enqueue(tx, queue, { workspaceId: to }));
  await enqueue(one, one);
  await enqueue(other, other);
  await expect(enqueue(one, other)).rejects.toThrow('row-level security');
  const query = database.within(one);
  for (const table of ['job', 'job_common']) {
    const { rows } = await query.raw(`select data from pgboss.${table} where name = 'letters'`);
    expect(rows).toEqual([{ data: { workspaceId: one } }]);
    const theirs = `delete from pgboss.${table} where data ->> 'workspaceId' = $1 returning id`;
    expect((await query.raw(theirs, [other])).rows).toEqual([]);
  }
  const all = await database.acrossWorkspaces.raw("select from pgboss.job where name = 'letters'");
  expect(all.rows).toHaveLength(2);
  for (const table of ['version', 'schedule', 'subscription'])
    await expect(query.raw(`select from pgboss.${table}`)).rejects.toThrow('permission denied');
}

describe('on one connection', () => {
  let crowded: Database;
  beforeAll(() => {
    crowded = openDatabase({
      connection: store.connection,
      maxConnections: 1,
      onConnectionError: () => undefined,
    });
  });
  afterAll(() => crowded.close());

  it('statements and transactions of several workspaces do not mix', async () => {
    const reads = [
      () => readNames(crowded.within(one)),
      () => readNames(crowded.acrossWorkspaces),
      () => crowded.within(other).transaction((tx) => readNames(tx)),
      () => readNames(crowded.within(other)),
    ];
    const expected = [[one], [one, other], [other], [other]];
    const rounds = Array.from({ length: 10 }, () => reads).flat();
    const found = await Promise.all(rounds.map((read) => read()));
    expect(found).toEqual(found.map((_, index) => expected[index % 4]));
  });

  it('a workspace is left when its statement or transaction fails', async () => {
    const broken = 'select nonsense';
    await expect(crowded.within(one).raw(broken)).rejects.toThrow('nonsense');
    expect(await readNames(crowded.acrossWorkspaces)).toEqual([one, other]);
    await expect(crowded.within(one).transaction((tx) => tx.raw(broken))).rejects.toThrow('nonsense');
    expect(await readNames(crowded.acrossWorkspaces)).toEqual([one, other]);
  });

  it.each(['committed', 'rolled back'])('a transaction that was %s runs nothing more', async (how) => {
    let late: Transaction | undefined;
    const ending = crowded.within(one).transaction(async (tx) => {
      late = tx;
      if (how === 'rolled back') throw new Error('It came to nothing.');
    });
    await ending.catch(() => undefined);
    const tx = late as unknown as Transaction;
    const attempts = [
      () => readNames(tx),
      () => tx.raw('select name from bots'),
      () => tx.prepared({ name: 'test.late', text: 'select name from bots' }, []),
      () =>
        tx
          .compiled('test.late_workspaces', () => tx.select({ id: workspaces.id }).from(workspaces))
          .execute(),
    ];
    for (const attempt of attempts) {
      const refused = await attempt().catch((error: Error) => error.cause ?? error);
      expect(refused).toMatchObject({ message: expect.stringContaining('This transaction has ended') });
    }
    // Neither does it come back to life with the next one on the same connection.
    await crowded.acrossWorkspaces.transaction(async (next) => {
      expect(await readNames(next)).toEqual([one, other]);
      await expect(tx.raw('select')).rejects.toThrow('This transaction has ended');
    });
  });

  it('a compiled or prepared statement serves every workspace with its own rows', async () => {
    const named = { name: 'test.bots', text: 'select name from bots order by name' };
    let built = 0;
    const readIds = (query: Queryable) => {
      const compiled = query.compiled('test.workspaces', () => {
        built += 1;
        return query
          .select({ id: workspaces.id })
          .from(workspaces)
          .where(eq(sql`1`, sql.placeholder('number')));
      });
      return compiled.execute({ number: 1 });
    };
    for (const id of [one, other, one]) {
      const query = crowded.within(id);
      expect(await readIds(query)).toEqual([{ id }]);
      expect(await query.transaction(readIds)).toEqual([{ id }]);
      expect(await query.prepared(named, [])).toEqual([{ name: id }]);
    }
    expect(built).toBe(1);
    expect(await crowded.acrossWorkspaces.prepared(named, [])).toEqual([{ name: one }, { name: other }]);
  });
});

describe('for a user of PostgreSQL who is not a superuser', () => {
  const admin = async (...statements: string[]) => {
    const client = new pg.Client({ ...inject('postgres'), database: 'postgres' });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };

  async function openPlain(): Promise<{ name: string; database: Database; drop(): Promise<void> }> {
    const name = `plain_${randomBytes(6).toString('hex')}`;
    await admin(`create role ${name} login`, `create database ${name} owner ${name}`);
    const connection: Connection = { ...inject('postgres'), user: name, database: name };
    const database = openDatabase({ connection, onConnectionError: () => undefined });
    const drop = async () => {
      await database.close();
      await admin(`drop database ${name} with (force)`, `drop role ${name}`);
    };
    return { name, database, drop };
  }

  it('the service says what an administrator has to do, and then works with the same limits', async () => {
    const { name, database, drop } = await openPlain();
    try {
      await expect(migrate(database)).rejects.toThrow('grant svc_workspace to');
      await admin(`grant svc_workspace to ${name}`);
      await migrate(database);
      await fill(database);
      expect(await readNames(database.within(one))).toEqual([one]);
      expect(await database.within(other).transaction((tx) => readNames(tx))).toEqual([other]);
      expect(await readNames(database.acrossWorkspaces)).toEqual([one, other]);
      await expectJobsApart(database);
    } finally {
      await drop();
    }
  });
});
