import type { Queryable } from '../../database/database.ts';

export interface PassageRow {
  chunkId: string;
  knowledgeId: string;
  title: string;
  sourceUrl: string | null;
  headingPath: string[];
  content: string;
}

export const retrievalStore = {
  /** The model whose vectors the workspace uses; undefined while it has none. */
  async findAnsweringModel(query: Queryable, workspaceId: string): Promise<string | undefined> {
    const [row] = await query.prepared<{ model: string | null }>(
      {
        name: 'knowledge_answering_model',
        text: 'select embedding_model as model from knowledge_statistics where workspace_id = $1',
      },
      [workspaceId],
    );
    return row?.model ?? undefined;
  },

  /** Those of the chunks that this bot may still use, in any order. */
  listPassages(
    query: Queryable,
    workspaceId: string,
    botId: string | undefined,
    chunkIds: readonly string[],
  ): Promise<PassageRow[]> {
    return query.prepared<PassageRow>(
      {
        name: 'knowledge_passages',
        text: `select c.id as "chunkId", k.id as "knowledgeId", k.title, k.source_url as "sourceUrl",
                 c.heading_path as "headingPath", c.content
               from knowledge_chunks c join knowledge k on k.id = c.knowledge_id
               where c.workspace_id = $1 and c.id = any($3::uuid[])
                 and k.status = 'active' and ($2::uuid is null or k.bot_id is null or k.bot_id = $2::uuid)`,
      },
      [workspaceId, botId ?? null, chunkIds],
    );
  },
};
