import type { Queryable } from '../../database/database.ts';
import { and, eq, gt, inArray, lt, sql } from '../../database/drizzle.ts';
import { userCredentials, userSessions, users } from '../members.tables.ts';

/** The tables that the library works with, under the names that it has for them. */
const tables = { user: users, session: userSessions, account: userCredentials };

export interface Condition {
  field: string;
  operator?: string | undefined;
  value: unknown;
  connector?: 'AND' | 'OR' | undefined;
}

type Row = Record<string, unknown>;

/** What the sign-in library reads and writes. People belong to no workspace, so nothing here takes one. */
export const identityStore = {
  async insertAcrossWorkspaces(query: Queryable, model: string, row: Row): Promise<Row> {
    const rows = await query
      .insert(tableOf(model))
      .values(row as never)
      .returning();
    return rows[0] as Row;
  },

  async listAcrossWorkspaces(
    query: Queryable,
    model: string,
    conditions: readonly Condition[] = [],
    limit = 100,
  ): Promise<Row[]> {
    const table = tableOf(model);
    return query.select().from(table).where(where(table, conditions)).limit(limit);
  },

  async updateAcrossWorkspaces(
    query: Queryable,
    model: string,
    conditions: readonly Condition[],
    change: Row,
  ): Promise<Row[]> {
    const table = tableOf(model);
    const rows = await query
      .update(table)
      .set(change as never)
      .where(required(table, conditions))
      .returning();
    return rows;
  },

  async deleteAcrossWorkspaces(query: Queryable, model: string, conditions: readonly Condition[]) {
    const table = tableOf(model);
    return query.delete(table).where(required(table, conditions)).returning();
  },

  async countAcrossWorkspaces(query: Queryable, model: string, conditions: readonly Condition[] = []) {
    const table = tableOf(model);
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(table)
      .where(where(table, conditions));
    return rows[0]?.count ?? 0;
  },
};

type Table = (typeof tables)[keyof typeof tables];

function tableOf(model: string): Table {
  const table = Object.hasOwn(tables, model) ? tables[model as keyof typeof tables] : undefined;
  if (!table) throw new Error(`The sign-in library uses ${model}, which has no table.`);
  return table;
}

function where(table: Table, conditions: readonly Condition[]) {
  return and(...conditions.map((condition) => toSql(table, condition)));
}

/** Never the whole table. */
function required(table: Table, conditions: readonly Condition[]) {
  if (conditions.length === 0) throw new Error('A change of all rows was requested.');
  return where(table, conditions);
}

function toSql(table: Table, { field, operator = 'eq', value, connector }: Condition) {
  const column = (table as unknown as Record<string, typeof users.id | undefined>)[field];
  if (!column || connector === 'OR')
    throw new Error(`The sign-in library asks for an unknown condition: ${field}.`);
  switch (operator) {
    case 'eq':
      return eq(column, value as string);
    case 'in':
      return inArray(column, value as string[]);
    case 'gt':
      return gt(column, value as string);
    case 'lt':
      return lt(column, value as string);
    default:
      throw new Error(`The sign-in library asks for an unknown comparison: ${operator}.`);
  }
}
