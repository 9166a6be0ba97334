import { bytea } from '../../database/bytea.ts';
import { bigint, integer, json, pgTable, primaryKey, text, timestamp, uuid } from '../../database/drizzle.ts';

/** Where a line of the transcript begins: what the caller said in a turn, or a message of the bot. */
export type RecordingMark = { atMs: number } & ({ turnId: string } | { messageId: string });

export const callRecordings = pgTable('call_recordings', {
  callId: uuid('call_id').primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  sampleRate: integer('sample_rate').notNull(),
  bytes: bigint({ mode: 'number' }).notNull().default(0),
  /** Of a recording that is in the bucket, as a WAV file; the others are in parts. */
  fileKey: text('file_key'),
  marks: json().$type<RecordingMark[]>().notNull().default([]),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

export const callRecordingParts = pgTable(
  'call_recording_parts',
  {
    callId: uuid('call_id').notNull(),
    position: integer().notNull(),
    workspaceId: uuid('workspace_id').notNull(),
    audio: bytea().notNull(),
  },
  (table) => [primaryKey({ columns: [table.callId, table.position] })],
);
