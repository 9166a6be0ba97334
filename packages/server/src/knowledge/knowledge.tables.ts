import { bytea } from '../database/bytea.ts';
import { boolean, integer, jsonb, pgTable, real, text, timestamp, uuid } from '../database/drizzle.ts';

export const knowledge = pgTable('knowledge', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id'),
  title: text().notNull(),
  hasOwnTitle: boolean('has_own_title').notNull().default(false),
  contentType: text('content_type').$type<'text' | 'uploaded_file' | 'url'>().notNull(),
  sourceFilename: text('source_filename'),
  sourceUrl: text('source_url'),
  requestedUrl: text('requested_url'),
  content: text().notNull().default(''),
  /** Of an uploaded file that is in the bucket; the others are in the table below. */
  fileKey: text('file_key'),
  metadata: jsonb().$type<Record<string, string>>().notNull().default({}),
  processingStatus: text('processing_status').$type<ProcessingStatus>().notNull().default('pending'),
  processingProgress: real('processing_progress').notNull().default(0),
  error: text(),
  status: text().$type<'active' | 'inactive'>().notNull().default('active'),
  revision: integer().notNull().default(1),
  fence: integer().notNull().default(0),
  attempts: integer().notNull().default(0),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

type ProcessingStatus = 'pending' | 'processing' | 'completed' | 'failed';

export const knowledgeFiles = pgTable('knowledge_files', {
  knowledgeId: uuid('knowledge_id').primaryKey(),
  bytes: bytea().notNull(),
});
