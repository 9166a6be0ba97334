import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Connection, type Database, openDatabase } from '../../src/database/database.ts';

export interface TestDatabase {
  connection: Connection;
  database: Database;
  /** What a process needs to use it. */
  environment: { DATABASE_URL: string; SVC_ENCRYPTION_KEY: string };
  encryptionKey: Buffer;
  drop(): Promise<void>;
}

/** A database of its own, cloned from the migrated template. */
export async function createTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const postgres = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = (options.migrated ?? true) ? postgres.database : 'template0';
  // Without fsync, copying files is faster than writing every page to the log.
  await administer(`create database ${name} template ${template} strategy file_copy`);
  const connection = { ...postgres, database: name };
  const encryptionKey = randomBytes(32);
  const database = openDatabase({ connection, maxConnections: 10, onConnectionError: () => undefined });
  return {
    connection,
    database,
    environment: {
      DATABASE_URL: addressOf(connection),
      SVC_ENCRYPTION_KEY: encryptionKey.toString('base64'),
    },
    encryptionKey,
    async drop() {
      await database.close();
      await administer(`drop database ${name} with (force)`);
    },
  };
}

function addressOf({ user, password, host, port, database: name }: Connection): string {
  const login = typeof password === 'string' ? `${user}:${encodeURIComponent(password)}` : user;
  return `postgres://${login}@/${name}?host=${encodeURIComponent(host ?? '')}&port=${port}`;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject('postgres'), database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
