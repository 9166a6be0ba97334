import type { Role } from '@svc/contract/roles';
import { bytea } from '../database/bytea.ts';
import { boolean, pgTable, primaryKey, text, timestamp, uuid } from '../database/drizzle.ts';

const createdAt = timestamp('created_at', { withTimezone: true }).notNull().defaultNow();
const updatedAt = timestamp('updated_at', { withTimezone: true }).notNull().defaultNow();
const expiresAt = timestamp('expires_at', { withTimezone: true }).notNull();

export const users = pgTable('users', {
  id: uuid().primaryKey(),
  name: text().notNull(),
  email: text().notNull(),
  emailVerified: boolean('email_verified').notNull().default(false),
  image: text(),
  createdAt,
  updatedAt,
});

export const userSessions = pgTable('user_sessions', {
  id: uuid().primaryKey(),
  userId: uuid('user_id').notNull(),
  token: text().notNull(),
  expiresAt,
  ipAddress: text('ip_address'),
  userAgent: text('user_agent'),
  createdAt,
  updatedAt,
});

export const userCredentials = pgTable('user_credentials', {
  id: uuid().primaryKey(),
  userId: uuid('user_id').notNull(),
  providerId: text('provider_id').notNull(),
  accountId: text('account_id').notNull(),
  password: text(),
  createdAt,
  updatedAt,
});

export const members = pgTable(
  'members',
  {
    workspaceId: uuid('workspace_id').notNull(),
    userId: uuid('user_id').notNull(),
    role: text().$type<Role>().notNull(),
    createdAt,
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export type LinkPurpose = 'setup' | 'invitation' | 'reset';

export const memberLinks = pgTable('member_links', {
  id: uuid().primaryKey(),
  purpose: text().$type<LinkPurpose>().notNull(),
  tokenHash: bytea('token_hash').notNull(),
  workspaceId: uuid('workspace_id'),
  role: text().$type<Role>(),
  email: text(),
  createdBy: uuid('created_by'),
  userId: uuid('user_id'),
  openedFrom: uuid('opened_from'),
  createdAt,
  expiresAt,
});
