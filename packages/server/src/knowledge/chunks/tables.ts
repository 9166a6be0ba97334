import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea } from '../../database/bytea.ts';

export const knowledgeChunks = pgTable('knowledge_chunks', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  knowledgeId: uuid('knowledge_id').notNull(),
  position: integer().notNull(),
  headingPath: text('heading_path').array().notNull(),
  content: text().notNull(),
  tokenCount: integer('token_count').notNull(),
  contentHash: bytea('content_hash').notNull(),
});
