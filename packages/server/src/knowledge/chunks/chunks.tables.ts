import { bytea } from '../../database/bytea.ts';
import { bigint, integer, pgTable, real, smallint, text, uuid } from '../../database/drizzle.ts';

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

/** Reached by statements of our own only. @public */
export const knowledgeChunkTerms = pgTable('knowledge_chunk_terms', {
  chunkId: uuid('chunk_id').primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  knowledgeId: uuid('knowledge_id').notNull(),
  length: integer().notNull(),
  terms: bigint({ mode: 'bigint' }).array().notNull(),
  frequencies: smallint().array().notNull(),
});

/** Reached by statements of our own only. @public */
export const knowledgeEmbeddings = pgTable('knowledge_embeddings', {
  chunkId: uuid('chunk_id').notNull(),
  model: text().notNull(),
  part: smallint().notNull(),
  workspaceId: uuid('workspace_id').notNull(),
  knowledgeId: uuid('knowledge_id').notNull(),
  vector: real().array().notNull(),
});

/** Reached by statements of our own only. @public */
export const knowledgeStatistics = pgTable('knowledge_statistics', {
  workspaceId: uuid('workspace_id').primaryKey(),
  chunkCount: bigint('chunk_count', { mode: 'number' }).notNull().default(0),
  lengthTotal: bigint('length_total', { mode: 'number' }).notNull().default(0),
  revision: bigint({ mode: 'bigint' }).notNull().default(0n),
  embeddingModel: text('embedding_model'),
});

/** Reached by statements of our own only. @public */
export const knowledgeTerms = pgTable('knowledge_terms', {
  workspaceId: uuid('workspace_id').notNull(),
  term: bigint({ mode: 'bigint' }).notNull(),
  chunkCount: integer('chunk_count').notNull(),
});
