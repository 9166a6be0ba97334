import { once } from 'node:events';
import { globSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isConnectionFailure, openDatabase } from '../../src/database/database.ts';
import { getTableConfig, is, PgTable, sql } from '../../src/database/drizzle.ts';
import { applyMigration, createMigrationTable, migrate, readMigrations } from '../../src/database/migrate.ts';
import { eventually } from '../support/chat.ts';
import { createTestDatabase } from '../support/test-database.ts';

describe('migrations', () => {
  it('run once when several nodes start together', async () => {
    const { database, drop } = await createTestDatabase({ migrated: false });
    try {
      const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(database)));
      expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
      expect(await migrate(database)).toEqual([]);
    } finally {
      await drop();
    }
  });

  it('let the previous version start again, but none whose tables a newer one has removed', async () => {
    const { database, drop } = await createTestDatabase();
    const insert = (name: string, needs: string) =>
      database.acrossWorkspaces.execute(
        sql`insert into schema_migrations (name, needs) values (${name}, ${needs})`,
      );
    try {
      await database.acrossWorkspaces.execute(
        "insert into schema_migrations (name) values ('9997-adds.sql')",
      );
      await insert('9998-removes.sql', '0023-failed-tool-messages.sql');
      expect(await migrate(database)).toEqual([]);
      await insert('9999-removes.sql', '9997-adds.sql');
      await expect(migrate(database)).rejects.toThrow('newer version of svc (9999-removes.sql)');
    } finally {
      await drop();
    }
  });

  it('let requests of the previous version end, whatever order they use tables in', async () => {
    const { database, connection, drop } = await createTestDatabase({ migrated: false });
    const name = '0054-code-sessions.sql';
    const migrator = await database.connect('test');
    await migrator.query(createMigrationTable);
    for (const migration of await readMigrations())
      if (migration.name < name) await applyMigration(migrator, migration);
    await migrator.end();
    const request = new pg.Client(connection);
    await request.connect();
    await request.query('begin; select from approvals');
    // The migration changes conversations first, and then waits for approvals.
    const migrating = migrate(database);
    const waiting = `select pid from pg_locks where not granted and relation = 'approvals'::regclass`;
    await eventually(async () => (await database.acrossWorkspaces.raw(waiting)).rows).toHaveLength(1);
    await request.query('select from conversations');
    await request.query('commit');
    await request.end();
    expect(await migrating).toContain(name);
    await drop();
  });
});

it('has every table and column that the code knows, and no others', async () => {
  const { connection, drop } = await createTestDatabase();
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ table_name: string; column_name: string; is_nullable: string }>(
    "select table_name, column_name, is_nullable from information_schema.columns where table_schema = 'public'",
  );
  await client.end();
  await drop();
  const stored = rows
    .filter((row) => row.table_name !== 'schema_migrations')
    .map((row) => `${row.table_name}.${row.column_name} ${row.is_nullable === 'YES' ? 'null' : 'not null'}`);

  const folder = join(import.meta.dirname, '../../src');
  const modules = await Promise.all(
    globSync('**/*.tables.ts', { cwd: folder }).map((file) => import(join(folder, file)) as Promise<object>),
  );
  const known = modules
    .flatMap((module) => Object.values(module))
    .filter((value) => is(value, PgTable))
    .map((table) => getTableConfig(table))
    .flatMap((table) =>
      table.columns.map((column) => `${table.name}.${column.name} ${column.notNull ? 'not null' : 'null'}`),
    );
  expect(known.toSorted()).toEqual(stored.toSorted());
});

it('distinguishes a server that is down from one that refuses', async () => {
  const away = openDatabase({
    connection: { host: '127.0.0.1', port: 1, user: 'x', database: 'x' },
    onConnectionError: () => undefined,
  });
  const lost = await away.acrossWorkspaces.execute('select 1').catch((error: unknown) => error);
  expect(isConnectionFailure(lost)).toBe(true);
  await away.close();

  const { database, drop } = await createTestDatabase();
  const refused = await database.acrossWorkspaces.execute('select nonsense').catch((error: unknown) => error);
  expect(isConnectionFailure(refused)).toBe(false);
  await drop();
});

describe('a connection', () => {
  it('from a busy pool is waited for longer than one that cannot be opened', async () => {
    const { connection, drop } = await createTestDatabase();
    const crowded = openDatabase({
      connection: { ...connection, connectionTimeoutMillis: 100 },
      maxConnections: 1,
      onConnectionError: () => undefined,
    });
    const ask = () => crowded.acrossWorkspaces.execute('select 1').then(() => true);
    // On a busy machine even a connection to a running server may take too long.
    await expect.poll(() => ask().catch(() => false)).toBe(true);
    const [, waited] = await Promise.all([crowded.acrossWorkspaces.raw('select pg_sleep(0.5)'), ask()]);
    expect(waited).toBe(true);
    await crowded.close();
    await drop();
  });

  it('for urgent statements is replaced when it does not answer', async () => {
    const { connection, drop } = await createTestDatabase();
    const database = openDatabase({
      connection,
      urgentMilliseconds: 100,
      onConnectionError: () => undefined,
    });
    const hung = await database.urgent.raw('select pg_sleep(3600)').catch((error: unknown) => error);
    expect(isConnectionFailure(hung)).toBe(true);
    await expect
      .poll(() =>
        database.urgent.raw('select 1').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await database.close();
    await drop();
  });

  it('to a server that does not answer counts as lost', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const away = openDatabase({
      connection: { host: '127.0.0.1', port, user: 'x', database: 'x', connectionTimeoutMillis: 50 },
      onConnectionError: () => undefined,
    });
    const lost = await away.acrossWorkspaces.execute('select 1').catch((error: unknown) => error);
    expect(isConnectionFailure(lost)).toBe(true);
    await away.close();
    silent.close();
  });
});
