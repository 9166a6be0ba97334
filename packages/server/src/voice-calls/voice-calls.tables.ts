import type { CallDirection, CallEndReason, CallStatus } from '@svc/contract/calls';
import type { StoredDialog } from '@svc/sip/dialog';
import { bytea } from '../database/bytea.ts';
import { boolean, integer, json, numeric, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

/** The cost in USD of what a call has used, by name, such as `deepgram/nova-3`. */
export type VoiceUsed = Record<string, string>;

/** How much was heard of a message that is being spoken. */
export interface HeardMessage {
  messageId: string;
  heard: string;
}

export const voiceCalls = pgTable('voice_calls', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  direction: text().$type<CallDirection>().notNull(),
  transport: text().$type<'twilio' | 'sip' | 'web'>().notNull(),
  networkId: text('network_id'),
  networkBranch: text('network_branch'),
  fromNumber: text('from_number'),
  toNumber: text('to_number'),
  status: text().$type<CallStatus>().notNull(),
  endReason: text('end_reason').$type<CallEndReason>(),
  endDetail: text('end_detail'),
  // These two are of the previous release; the next one removes them.
  endRequestedReason: text('end_requested_reason').$type<CallEndReason>(),
  endRequestedDetail: text('end_requested_detail'),
  nodeId: uuid('node_id'),
  greeting: text(),
  ttsVoice: text('tts_voice'),
  maxSeconds: integer('max_seconds').notNull(),
  sessionTokenHash: bytea('session_token_hash'),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  answeredAt: timestamp('answered_at', { withTimezone: true }),
  endedAt: timestamp('ended_at', { withTimezone: true }),
  deadlineAt: timestamp('deadline_at', { withTimezone: true }).notNull(),
  used: json().$type<VoiceUsed>().notNull().default({}),
  /** What the SIP network needs to end the call without its line; null once it is over. */
  dialog: json().$type<StoredDialog>(),
  /** What the bot was saying when that was last noted, and how much of each message was heard. */
  playing: json().$type<HeardMessage[]>(),
  costUsd: numeric('cost_usd', { precision: 20, scale: 9 }).notNull().default('0'),
  summary: text(),
});

export const voiceCallTurns = pgTable('voice_call_turns', {
  turnId: uuid('turn_id').primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  callId: uuid('call_id').notNull(),
  endOfTurnMs: integer('end_of_turn_ms'),
  textMs: integer('text_ms'),
  modelMs: integer('model_ms'),
  speechMs: integer('speech_ms'),
  interrupted: boolean().notNull().default(false),
});

export const voiceCallHooks = pgTable('voice_call_hooks', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  callId: uuid('call_id').notNull(),
  hookId: uuid('hook_id').notNull(),
  toolConfigurationId: uuid('tool_configuration_id').notNull(),
  toolName: text('tool_name').notNull(),
  toolType: text('tool_type').notNull(),
  paramsTemplate: json('params_template').$type<Record<string, unknown>>().notNull(),
  position: integer().notNull(),
  status: text().$type<'pending' | 'started' | 'ok' | 'error' | 'unknown'>().notNull().default('pending'),
  result: json(),
  error: text(),
  startedAt: timestamp('started_at', { withTimezone: true }),
  endedAt: timestamp('ended_at', { withTimezone: true }),
});
