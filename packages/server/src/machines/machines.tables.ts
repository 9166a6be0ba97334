import type { OperationName } from '@svc/contract/machine-protocol';
import type { Machine } from '@svc/contract/machines';
import { bytea } from '../database/bytea.ts';
import { boolean, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const machines = pgTable('machines', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  name: text().notNull(),
  hash: bytea().notNull(),
  hint: text().notNull(),
  createdBy: uuid('created_by'),
  ownerId: uuid('owner_id'),
  allowedMembers: uuid('allowed_members').array().notNull().default([]),
  allowedBots: uuid('allowed_bots').array().notNull().default([]),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
  platform: text(),
  version: text(),
  roots: text().array().notNull().default([]),
  sandbox: text().$type<Machine['sandbox']>(),
  policy: text().$type<Machine['policy']>(),
  confirmation: text().$type<Machine['confirmation']>(),
  runsCommands: boolean('runs_commands'),
  instanceId: uuid('instance_id'),
  nodeId: uuid('node_id'),
  connectionId: uuid('connection_id'),
  connectedAt: timestamp('connected_at', { withTimezone: true }),
  lastSeenAt: timestamp('last_seen_at', { withTimezone: true }),
});

export const machineCalls = pgTable('machine_calls', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  machineId: uuid('machine_id').notNull(),
  instanceId: uuid('instance_id').notNull(),
  name: text().$type<OperationName>().notNull(),
  /** When its turn continued without the outcome, because the machine was offline. Null again once the outcome is known. */
  lostAt: timestamp('lost_at', { withTimezone: true }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
