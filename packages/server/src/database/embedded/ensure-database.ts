import type { ClientBase } from 'pg';
import { errorCode } from './error-code.ts';

export const databaseName = 'svc';

export async function ensureDatabase(client: ClientBase): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
  if (rowCount !== 0) return;
  try {
    await client.query(`create database ${databaseName}`);
  } catch (error) {
    // Another process was first: found before (42P04) or while (23505) ours was made.
    if (errorCode(error) !== '42P04' && errorCode(error) !== '23505') throw error;
  }
}
