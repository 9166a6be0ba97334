import type { ApprovalContext, ApprovalStatus } from '@svc/contract/approvals';
import { bytea } from '../database/bytea.ts';
import { boolean, integer, json, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';
import type { Grantable, ToolGrantable } from '../tools/tools.service.ts';

export const approvals = pgTable('approvals', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  turnId: uuid('turn_id').notNull(),
  botId: uuid('bot_id').notNull(),
  /** The version whose tool it is; null: the current one. */
  botVersion: integer('bot_version'),
  toolCallId: uuid('tool_call_id').notNull(),
  toolType: text('tool_type').notNull(),
  toolName: text('tool_name').notNull(),
  /** What the call would do, as a sentence with `{{parameter}}` in it. */
  titleTemplate: text('title_template'),
  arguments: json().$type<Record<string, unknown>>().notNull(),
  argumentsSchema: json('arguments_schema').$type<Record<string, unknown>>().notNull(),
  context: json().$type<ApprovalContext>().notNull(),
  fingerprint: bytea(),
  /** Never shown, and never taken from a client. */
  basis: json().$type<Record<string, unknown>>(),
  /** Its tool lets people change the arguments by the link of a notice. */
  linkEdit: boolean('link_edit').notNull().default(false),
  /** Asked by a tool while it runs: the turn is not paused for it. */
  isQuestion: boolean('is_question').notNull().default(false),
  status: text().$type<ApprovalStatus>().notNull().default('pending'),
  editedArguments: json('edited_arguments').$type<Record<string, unknown>>(),
  reason: text(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  resolvedAt: timestamp('resolved_at', { withTimezone: true }),
  resolvedBy: text('resolved_by'),
  grantable: json().$type<AskedGrantable>(),
  /** All calls of its tool by its bot can be allowed together with it. */
  toolGrantable: json('tool_grantable').$type<ToolGrantable>(),
  /** The grant that approved it, which may have been revoked since. */
  grantId: uuid('grant_id'),
});

/** What can be allowed together with the call, for the member or key that its turn acts for. */
export type AskedGrantable = Grantable & { actsFor: string | null };
