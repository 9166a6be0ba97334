import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Connection, type Database, openDatabase } from '../../src/database/database.ts';

export interface TestDatabase {
  connection: Connection;
  database: Database;
  drop(): Promise<void>;
}

/** A database of its own, cloned from the migrated template. */
export async function createTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const postgres = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = (options.migrated ?? true) ? postgres.database : 'template0';
  await administer(`create database ${name} template ${template}`);
  const connection = { ...postgres, database: name };
  const database = openDatabase({ connection, maxConnections: 10, onConnectionError: () => undefined });
  return {
    connection,
    database,
    async drop() {
      await database.close();
      await administer(`drop database ${name} with (force)`);
    },
  };
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
