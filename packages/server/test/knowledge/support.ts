import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../src/database/database.ts';
import { chunkStore } from '../../src/knowledge/chunks/chunks.store.ts';
import { type IndexedChunk, indexChunks } from '../../src/knowledge/chunks/index-chunks.ts';

export interface SourceOptions {
  botId?: string;
  title?: string;
  sourceUrl?: string;
}

/** Creates workspaces, bots and sources directly in the database, for tests below the service. */
export function knowledgeIn(database: Database) {
  return {
    async makeWorkspace(): Promise<string> {
      const id = uuidv7();
      await database.acrossWorkspaces.raw(`insert into workspaces (id, name) values ($1, 'A workspace')`, [
        id,
      ]);
      return id;
    },

    async makeBot(workspaceId: string): Promise<string> {
      const id = uuidv7();
      await database.acrossWorkspaces.raw(
        `insert into bots (id, workspace_id, name, system_prompt) values ($1, $2, 'A bot', '')`,
        [id, workspaceId],
      );
      return id;
    },

    /** A source with these passages, each as a chunk. */
    async makeSource(
      workspaceId: string,
      passages: readonly string[],
      options: SourceOptions = {},
    ): Promise<string> {
      const id = uuidv7();
      await database.acrossWorkspaces.raw(
        `insert into knowledge (id, workspace_id, bot_id, title, source_url, content_type, processing_status)
         values ($1, $2, $3, $4, $5, 'text', 'completed')`,
        [id, workspaceId, options.botId ?? null, options.title ?? 'A source', options.sourceUrl ?? null],
      );
      await database.acrossWorkspaces.transaction((tx) =>
        chunkStore.replaceChunks(tx, workspaceId, id, chunksOf(workspaceId, passages)),
      );
      return id;
    },

    async chunkIdsOf(knowledgeId: string): Promise<string[]> {
      const { rows } = await database.acrossWorkspaces.raw(
        'select id from knowledge_chunks where knowledge_id = $1 order by position',
        [knowledgeId],
      );
      return (rows as { id: string }[]).map(({ id }) => id);
    },

    async rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
      return (await database.acrossWorkspaces.raw(text, values)).rows as Row[];
    },
  };
}

export type KnowledgeRows = ReturnType<typeof knowledgeIn>;

export function chunksOf(workspaceId: string, passages: readonly string[]): IndexedChunk[] {
  const chunks = passages.map((content, position) => ({
    position,
    headingPath: [],
    content,
    tokenCount: Math.ceil(content.length / 4),
  }));
  return indexChunks(workspaceId, chunks);
}
