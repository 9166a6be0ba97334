import type { Channel } from '@svc/contract/channels';
import type { ConversationNote } from '@svc/contract/conversations';
import {
  bigint,
  boolean,
  integer,
  json,
  jsonb,
  pgTable,
  text,
  timestamp,
  uuid,
} from '../database/drizzle.ts';
import type { StoredCitation, StoredToolCall } from './message.ts';

export const conversations = pgTable('conversations', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  channel: text().$type<Channel>().notNull(),
  externalUserId: text('external_user_id'),
  title: text().notNull(),
  status: text().$type<'idle' | 'running' | 'paused'>().notNull().default('idle'),
  metadata: jsonb().$type<Record<string, string>>().notNull().default({}),
  messageCount: integer('message_count').notNull().default(0),
  lastSequence: bigint('last_sequence', { mode: 'number' }).notNull().default(0),
  summary: text(),
  summaryThrough: bigint('summary_through', { mode: 'number' }).notNull().default(0),
  handoffRequestedAt: timestamp('handoff_requested_at', { withTimezone: true }),
  handoffReason: text('handoff_reason'),
  assigneeId: uuid('assignee_id'),
  resolvedAt: timestamp('resolved_at', { withTimezone: true }),
  snoozedUntil: timestamp('snoozed_until', { withTimezone: true }),
  /** Null instead of none. */
  labels: text().array(),
  operatorSequence: bigint('operator_sequence', { mode: 'number' }).notNull().default(0),
  codeSession: json('code_session').$type<CodeSession>(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  lastMessageAt: timestamp('last_message_at', { withTimezone: true }),
});

/** Where and how coding tools work in a conversation, as its messages last said. */
export interface CodeSession {
  machine_id?: string;
  workdir?: string;
  /** Tools can only read until a plan is approved. */
  is_planning?: boolean;
}

export const messages = pgTable('messages', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  /** Null for a message of an operator. */
  turnId: uuid('turn_id'),
  sequence: bigint({ mode: 'number' }).notNull(),
  role: text().$type<'user' | 'assistant' | 'tool' | 'operator'>().notNull(),
  content: text().notNull(),
  toolCalls: json('tool_calls').$type<StoredToolCall[]>().notNull().default([]),
  toolCallId: text('tool_call_id'),
  citations: json().$type<StoredCitation[]>().notNull().default([]),
  interrupted: boolean().notNull().default(false),
  failed: boolean().notNull().default(false),
  authorName: text('author_name'),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/** Lines between the messages that only the team sees. */
export const conversationNotes = pgTable('conversation_notes', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  kind: text().$type<ConversationNote['kind']>().notNull(),
  authorId: uuid('author_id'),
  authorName: text('author_name'),
  text: text(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/** Texts that people of the team write again and again. */
export const cannedReplies = pgTable('canned_replies', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  shortcut: text().notNull(),
  text: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
});

export const traceSteps = pgTable('trace_steps', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  turnId: uuid('turn_id').notNull(),
  sequence: bigint({ mode: 'number' }).notNull(),
  type: text().$type<TraceStepKind>().notNull(),
  name: text().notNull(),
  status: text().$type<'ok' | 'error'>().notNull(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
  durationMs: integer('duration_ms').notNull(),
  input: json(),
  output: json(),
  usage: json().$type<{ input_tokens: number; cached_input_tokens: number; output_tokens: number }>(),
  error: text(),
});

export type TraceStepKind =
  | 'model'
  | 'tool'
  | 'retrieval'
  | 'approval'
  | 'confidence'
  | 'validation'
  | 'goal_completion_check';

/** Calls that models made, with the arguments that really ran; a message only keeps those that were proposed. */
export const toolCalls = pgTable('tool_calls', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  turnId: uuid('turn_id').notNull(),
  messageId: uuid('message_id').notNull(),
  position: integer().notNull(),
  name: text().notNull(),
  toolType: text('tool_type').notNull(),
  toolId: uuid('tool_id'),
  arguments: json().$type<Record<string, unknown>>().notNull(),
  executedArguments: json('executed_arguments').$type<Record<string, unknown>>(),
  needsApproval: boolean('needs_approval').notNull(),
  repeatable: boolean().notNull(),
  inOrder: boolean('in_order').notNull(),
  hasEffects: boolean('has_effects').notNull(),
  fault: text(),
  status: text().$type<ToolCallStatus>().notNull(),
  startedAt: timestamp('started_at', { withTimezone: true }),
});

/** `unknown`: a crash cut the call off, so it is not known whether it was carried out. */
export type ToolCallStatus = 'proposed' | 'started' | 'ok' | 'error' | 'denied' | 'unknown';
