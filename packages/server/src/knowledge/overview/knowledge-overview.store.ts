import type { KnowledgeOverview, SourcePassage } from '@svc/contract/console-knowledge';
import { maxContentCharacters } from '@svc/contract/knowledge';
import type { Queryable } from '../../database/database.ts';
import { and, desc, eq, getTableColumns, inArray, isNull, lt, or, sql } from '../../database/drizzle.ts';
import type { SourceRow } from '../knowledge.store.ts';
import { knowledge } from '../knowledge.tables.ts';

const { content: _content, ...columns } = getTableColumns(knowledge);

// Written out, because columns in a part of a statement lose their table, and chunks have some of the same name.
const passageCount = sql<number>`(select count(*)::int from knowledge_chunks c
  where c.workspace_id = "knowledge"."workspace_id" and c.knowledge_id = "knowledge"."id")`;

/** A source without its text. */
export type ListedRow = Omit<SourceRow, 'content'> & { passageCount: number };

/** Reads the whole text, so it is not part of lists. */
const contentTruncated = sql<boolean>`char_length(${knowledge.content}) > ${sql.raw(String(maxContentCharacters))}`;

export interface SourceFilter {
  q: string | undefined;
  botId: string | undefined;
  processing: readonly SourceRow['processingStatus'][] | undefined;
  type: SourceRow['contentType'] | undefined;
  status: SourceRow['status'];
  before: string | undefined;
  limit: number;
}

export const knowledgeOverviewStore = {
  /** Newest first, by id: ids grow over time. */
  list(query: Queryable, workspaceId: string, filter: SourceFilter): Promise<ListedRow[]> {
    const { q, botId, processing, type, status, before, limit } = filter;
    return query
      .select({ ...columns, passageCount })
      .from(knowledge)
      .where(
        and(
          eq(knowledge.workspaceId, workspaceId),
          eq(knowledge.status, status),
          q === undefined ? undefined : contains(q),
          botId === undefined ? undefined : or(isNull(knowledge.botId), eq(knowledge.botId, botId)),
          processing === undefined ? undefined : inArray(knowledge.processingStatus, [...processing]),
          type === undefined ? undefined : eq(knowledge.contentType, type),
          before === undefined ? undefined : lt(knowledge.id, before),
        ),
      )
      .orderBy(desc(knowledge.id))
      .limit(limit);
  },

  /** Active or not. */
  async find(
    query: Queryable,
    workspaceId: string,
    id: string,
  ): Promise<(ListedRow & { contentTruncated: boolean }) | undefined> {
    const rows = await query
      .select({ ...columns, passageCount, contentTruncated })
      .from(knowledge)
      .where(and(eq(knowledge.workspaceId, workspaceId), eq(knowledge.id, id)));
    return rows[0];
  },

  /** Undefined if there is no such source, active or not. */
  async countPassages(query: Queryable, workspaceId: string, id: string): Promise<number | undefined> {
    const isSource = and(eq(knowledge.workspaceId, workspaceId), eq(knowledge.id, id));
    const [row] = await query.select({ passageCount }).from(knowledge).where(isSource);
    return row?.passageCount;
  },

  async count(query: Queryable, workspaceId: string): Promise<KnowledgeOverview> {
    const { rows } = await query.execute<KnowledgeOverview & Record<string, unknown>>(
      sql`select
            count(*) filter (where status = 'active')::int as active,
            count(*) filter (where status = 'active' and processing_status in ('pending', 'processing'))::int as unfinished,
            count(*) filter (where status = 'active' and processing_status = 'failed')::int as failed,
            count(*) filter (where status = 'inactive')::int as deleted,
            coalesce((select s.chunk_count from knowledge_statistics s where s.workspace_id = ${workspaceId}), 0)::int as passages,
            (select s.embedding_model from knowledge_statistics s where s.workspace_id = ${workspaceId}) as embedding_model
          from knowledge where workspace_id = ${workspaceId}`,
    );
    if (!rows[0]) throw new Error('A count has one row.');
    return rows[0];
  },

  /** The passage with this id, or the first one that begins with this text. */
  async findPassage(
    query: Queryable,
    workspaceId: string,
    knowledgeId: string,
    wanted: { id: string } | { beginning: string },
  ): Promise<{ id: string; position: number } | undefined> {
    const isWanted =
      'id' in wanted ? sql`id = ${wanted.id}::uuid` : sql`starts_with(content, ${wanted.beginning})`;
    const { rows } = await query.execute<{ id: string; position: number }>(
      sql`select id, position from knowledge_chunks
          where workspace_id = ${workspaceId} and knowledge_id = ${knowledgeId} and ${isWanted}
          order by position limit 1`,
    );
    return rows[0];
  },

  /** In the order of the text. */
  async listPassages(
    query: Queryable,
    workspaceId: string,
    knowledgeId: string,
    { from, limit }: { from: number; limit: number },
  ): Promise<SourcePassage[]> {
    const { rows } = await query.execute<SourcePassage & Record<string, unknown>>(
      sql`select c.id, c.position, c.heading_path, c.content, c.token_count,
            exists (select from knowledge_embeddings e where e.chunk_id = c.id
              and e.model = (select s.embedding_model from knowledge_statistics s where s.workspace_id = c.workspace_id)
            ) as is_embedded
          from knowledge_chunks c
          where c.workspace_id = ${workspaceId} and c.knowledge_id = ${knowledgeId} and c.position >= ${from}
          order by c.position limit ${limit}`,
    );
    return rows;
  },
};

function contains(q: string) {
  const { title, sourceFilename, sourceUrl } = knowledge;
  const text = sql`concat_ws(' ', ${title}, ${sourceFilename}, ${sourceUrl})`;
  return sql`strpos(lower(${text}), lower(${q})) > 0`;
}
