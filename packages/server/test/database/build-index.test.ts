import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildIndex, dropIndexes } from '../../src/database/pgvector.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const { signal } = new AbortController();
const names = ['letters_one', 'letters_two', 'letters_three'];
let store: TestDatabase;

beforeAll(async () => {
  store = await createTestDatabase();
  await store.database.acrossWorkspaces.raw(
    'create table letters as select n, n::text as text from generate_series(1, 20000) n',
  );
});
afterAll(() => store.drop());

const indexes = async () => {
  const { rows } = await store.database.acrossWorkspaces.raw(
    `select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'letters'::regclass order by 1`,
  );
  return rows;
};

it('nodes that build indexes at the same time do so one after the other, and none breaks off', async () => {
  const builds = [...names, ...names].map((name) =>
    buildIndex(store.database, { name, definition: 'on letters (text)' }, signal),
  );
  await Promise.all(builds);
  expect(await indexes()).toEqual(names.toSorted().map((name) => ({ name, valid: true })));
  await Promise.all([dropIndexes(store.database, names, signal), dropIndexes(store.database, names, signal)]);
  expect(await indexes()).toEqual([]);
});

it('a node that stops does not wait for its turn', async () => {
  const stopping = new AbortController();
  const client = await store.database.connect('test');
  await client.query('select pg_advisory_lock(7310422010)');
  const build = buildIndex(
    store.database,
    { name: 'letters_four', definition: 'on letters (text)' },
    stopping.signal,
  );
  setTimeout(() => stopping.abort(), 100);
  await expect(build).rejects.toThrow();
  await client.end();
  expect(await indexes()).toEqual([]);
});
