import type { Attachment } from '@svc/contract/attachments';
import type { Channel } from '@svc/contract/channels';
import type { ViewFilter } from '@svc/contract/conversation-views';
import type { ConversationNote, Rating } from '@svc/contract/conversations';
import { bytea } from '../database/bytea.ts';
import {
  bigint,
  boolean,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  sql,
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
  /** A person took over, whom nobody had asked. */
  isTakenOver: boolean('is_taken_over').notNull().default(false),
  assigneeId: uuid('assignee_id'),
  resolvedAt: timestamp('resolved_at', { withTimezone: true }),
  snoozedUntil: timestamp('snoozed_until', { withTimezone: true }),
  /** Null instead of none. */
  labels: text().array(),
  /** Null instead of none. */
  unreadMentions: uuid('unread_mentions').array(),
  operatorSequence: bigint('operator_sequence', { mode: 'number' }).notNull().default(0),
  codeSession: json('code_session').$type<CodeSession>(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  lastMessageAt: timestamp('last_message_at', { withTimezone: true }),
  /** Of the latest message: what lists are ordered by. */
  activeHour: timestamp('active_hour')
    .notNull()
    .generatedAlwaysAs(sql`date_trunc('hour', coalesce(last_message_at, created_at) at time zone 'UTC')`),
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
  /** Null instead of none. */
  attachments: json().$type<Attachment[]>(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  /** Null: it is in force. Otherwise it was put aside with this branch. */
  branchId: uuid('branch_id'),
  rating: text().$type<Rating>(),
  ratingComment: text('rating_comment'),
});

/** What follows a message, where that can be one of several. */
export const conversationBranches = pgTable('conversation_branches', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  /** Null: it begins the conversation. */
  afterMessageId: uuid('after_message_id'),
  firstMessageId: uuid('first_message_id').notNull(),
  /** The one in force at its place. */
  isCurrent: boolean('is_current').notNull(),
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
  /** Null instead of none. */
  mentions: uuid().array(),
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

/** Filters of conversations that the team has given names. */
export const conversationViews = pgTable('conversation_views', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  name: text().notNull(),
  filter: json().$type<ViewFilter>().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/** Files that users send with their messages. */
export const attachments = pgTable('attachments', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  /** Null until it is sent. */
  conversationId: uuid('conversation_id'),
  /** Null for an account key, which may send it for any user. */
  externalUserId: text('external_user_id'),
  name: text().notNull(),
  mediaType: text('media_type').$type<Attachment['media_type']>().notNull(),
  size: integer().notNull(),
  /** Null in a bucket. */
  bytes: bytea(),
  fileKey: text('file_key'),
  /** Of documents. */
  text: text(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** How the people of a workspace share conversations. */
export const inboxSettings = pgTable('inbox_settings', {
  workspaceId: uuid('workspace_id').primaryKey(),
  assignsInTurn: boolean('assigns_in_turn').notNull(),
});

/** When members last used the console, and were last assigned a conversation in turn. */
export const operatorActivity = pgTable('operator_activity', {
  workspaceId: uuid('workspace_id').notNull(),
  userId: uuid('user_id').notNull(),
  activeAt: timestamp('active_at', { withTimezone: true }).notNull(),
  assignedAt: timestamp('assigned_at', { withTimezone: true }),
});

/** What is known of end users besides their conversations. */
export const endUserDetails = pgTable(
  'end_user_details',
  {
    workspaceId: uuid('workspace_id').notNull(),
    externalUserId: text('external_user_id').notNull(),
    name: text(),
    email: text(),
    pageUrl: text('page_url'),
    pageTitle: text('page_title'),
    browser: text(),
    seenAt: timestamp('seen_at', { withTimezone: true }),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.externalUserId] })],
);

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
