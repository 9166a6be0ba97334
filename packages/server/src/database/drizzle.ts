import { createRequire } from 'node:module';

/**
 * Drizzle, in its form for `require`. Node reads the description of a package anew for every ES module of it, and this one
 * has a hundred modules and a description of 180 KB: half a second and 150 MB of every start.
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
  sql,
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
