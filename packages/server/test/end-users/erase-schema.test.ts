import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let store: TestDatabase;
beforeAll(async () => {
  store = await createTestDatabase();
});
afterAll(() => store.drop());

const select = async <Row>(text: string) => (await store.database.acrossWorkspaces.raw(text)).rows as Row[];

/** Foreign keys of one column, with what happens on deletion and whether an index begins with that column. */
const references = `select c.conrelid::regclass::text as table, a.attname::text as column, c.confrelid::regclass::text as to,
    c.confdeltype::text as "onDelete",
    exists (select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]) as "isIndexed"
  from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
  where c.contype = 'f' and cardinality(c.conkey) = 1`;

interface Reference {
  table: string;
  column: string;
  to: string;
  onDelete: string;
  isIndexed: boolean;
}

it('whatever belongs to a conversation refers to it and is deleted with it', async () => {
  const columns = await select<{ table: string }>(
    `select table_name::text as table from information_schema.columns
     where column_name = 'conversation_id' and table_schema = 'public' order by 1`,
  );
  const cascading = (await select<Reference>(references)).filter(
    ({ to, onDelete }) => to === 'conversations' && onDelete === 'c',
  );
  const others = columns.filter(({ table }) => !cascading.some((one) => one.table === table));
  expect(others.map(({ table }) => table)).toEqual([
    'evaluation_cases', // no end user takes part
    'legal_holds', // keeps its conversation from being deleted
    'quality_records', // deleted with its message
    'schedule_slots', // no end user takes part
    'usage_records', // anonymized
  ]);
});

it('deleting a conversation reads no table from end to end', async () => {
  const deleted = new Set(['conversations']);
  const found = await select<Reference>(references);
  for (let size = 0; size !== deleted.size; ) {
    size = deleted.size;
    for (const { table, to, onDelete } of found) if (deleted.has(to) && onDelete === 'c') deleted.add(table);
  }
  expect([...deleted]).toEqual(expect.arrayContaining(['turns', 'messages', 'quality_records', 'approvals']));
  expect(found.filter(({ to, isIndexed }) => deleted.has(to) && !isIndexed)).toEqual([]);
});
