import { createRequire } from 'node:module';

/**
 * Drizzle's CommonJS build. Node parses a package's package.json again for each of its ES modules, and Drizzle has a hundred
 * modules and a package.json of 180 KB: that took half a second and 150 MB of every start.
 */
const require = createRequire(import.meta.url);
const orm = require('drizzle-orm') as typeof import('drizzle-orm');
const core = require('drizzle-orm/pg-core') as typeof import('drizzle-orm/pg-core');
const node = require('drizzle-orm/node-postgres') as typeof import('drizzle-orm/node-postgres');

export const {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  is,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  ne,
  notInArray,
  or,
} = orm;
export const {
  PgTable,
  bigint,
  boolean,
  customType,
  doublePrecision,
  getTableConfig,
  integer,
  json,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  uuid,
} = core;
export const { drizzle } = node;

/**
 * Drizzle's `sql`, except that columns keep the name of their table everywhere. In the selection of a query on a single table
 * Drizzle prints `id` instead of `"bots"."id"`, and inside a subquery that names a column of the subquery's own table.
 */
export const sql: typeof orm.sql = Object.assign(
  <Result>(strings: TemplateStringsArray, ...values: unknown[]) =>
    // Drizzle looks for columns among the values themselves, not in nested expressions.
    orm.sql<Result>(
      strings,
      ...values.map((value) => (orm.is(value, orm.Column) ? orm.sql`${value}` : value)),
    ),
  orm.sql,
);
