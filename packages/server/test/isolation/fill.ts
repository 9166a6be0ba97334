import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { newId } from '../../src/lib/new-id.ts';

/** A column of the database's catalog. */
export interface Column {
  table: string;
  name: string;
  /** `text`, `json`, `_text` (an array), … */
  type: string;
  isRequired: boolean;
  hasDefault: boolean;
  /** A constraint lists its values. */
  isEnumerated: boolean;
}

export type Row = Record<string, unknown>;

const textTypes = new Set(['text', 'varchar', 'json', 'jsonb', '_text']);

/** Whether anything can be written into it. */
export function isText({ type, isEnumerated }: Column): boolean {
  return textTypes.has(type) && !isEnumerated;
}

export async function readColumns(client: pg.Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(`
    select c.table_name as table, c.column_name as name, c.udt_name as type,
      c.is_nullable = 'NO' as "isRequired", c.column_default is not null as "hasDefault",
      exists (
        select from pg_constraint k
        where k.conrelid = format('%I.%I', c.table_schema, c.table_name)::regclass and k.contype = 'c'
          and pg_get_constraintdef(k.oid) like format('CHECK ((%I = ANY (ARRAY[%%', c.column_name)
      ) as "isEnumerated"
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
    order by c.table_name, c.ordinal_position`);
  return rows;
}

/** What a text in the database says about itself: its workspace, table and column. */
export function markOf(workspace: string, table: string, column: string): string {
  return `mark-of-${workspace}-${table}-${column}`;
}

export function marksIn(text: string, workspace: string): string[] {
  return text.match(new RegExp(`mark-of-${workspace}-[a-z_]+-[a-z_]+`, 'g')) ?? [];
}

/** Values for the columns that cannot be left out. References have to be given. */
const something: Record<string, () => unknown> = {
  bool: () => false,
  bytea: () => randomBytes(32),
  int2: () => 1,
  int4: () => 1,
  int8: () => 1,
  numeric: () => 1,
  timestamptz: () => new Date(),
};

export type Insert = (table: string, given?: Row) => Promise<Row & { id: string }>;

/**
 * Inserts rows of one workspace. Every column that may hold text gets a mark, unless the row says what it holds; a new column
 * is thereby filled without being mentioned.
 */
export function createInsert(
  client: pg.Client,
  columns: readonly Column[],
  workspace: { name: string; id: string },
): Insert {
  const byTable = Map.groupBy(columns, ({ table }) => table);
  return async (table, given = {}) => {
    const row: Row = {};
    for (const column of byTable.get(table) ?? []) {
      const mark = markOf(workspace.name, table, column.name);
      if (column.name in given) row[column.name] = stored(column, given[column.name]);
      else if (column.name === 'id' && !column.hasDefault) row[column.name] = newId();
      else if (column.name === 'workspace_id') row[column.name] = workspace.id;
      else if (column.type === '_text') row[column.name] = [mark];
      else if (isText(column)) row[column.name] = stored(column, isJson(column) ? { note: mark } : mark);
      else if (column.isRequired && !column.hasDefault) row[column.name] = something[column.type]?.();
    }
    const names = Object.keys(row);
    const { rows } = await client.query<Row & { id: string }>(
      `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')})
       values (${names.map((_, index) => `$${index + 1}`).join(', ')}) returning *`,
      Object.values(row),
    );
    return rows[0] as Row & { id: string };
  };
}

function isJson({ type }: Column): boolean {
  return type.startsWith('json');
}

function stored(column: Column, value: unknown): unknown {
  return isJson(column) && value !== null ? JSON.stringify(value) : value;
}

/** Every row of a workspace, by table, as PostgreSQL prints it, without when a key was last used: that is noted later. */
export async function readRows(
  client: pg.Client,
  columns: readonly Column[],
  workspaceId: string,
): Promise<Map<string, string[]>> {
  const tables = columns.filter(({ name }) => name === 'workspace_id').map(({ table }) => table);
  const found = new Map<string, string[]>();
  for (const table of tables) {
    const { rows } = await client.query<{ row: string }>(
      `select (to_jsonb(t) - 'last_used_at')::text as row from "${table}" t where workspace_id = $1 order by 1`,
      [workspaceId],
    );
    found.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return found;
}
