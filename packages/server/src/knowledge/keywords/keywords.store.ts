import type { Queryable } from '../../database/database.ts';
import { bm25, type WeighedTerm } from './bm25.ts';

export interface KeywordScope {
  workspaceId: string;
  botId: string | undefined;
}

export interface KeywordHit {
  chunkId: string;
  score: number;
  /** Whether it has vectors of the workspace's current model. */
  isEmbedded: boolean;
}

export const keywordStore = {
  async countTerms(query: Queryable, workspaceId: string, terms: readonly bigint[]) {
    const rows = await query.prepared<{
      chunks: string;
      lengths: string;
      term: string | null;
      count: number;
    }>(
      {
        name: 'knowledge_term_counts',
        text: `select s.chunk_count as chunks, s.length_total as lengths, t.term, t.chunk_count as count
               from knowledge_statistics s
               left join knowledge_terms t on t.workspace_id = s.workspace_id and t.term = any($2::bigint[])
               where s.workspace_id = $1`,
      },
      [workspaceId, terms.map(String)],
    );
    const chunkCount = Number(rows[0]?.chunks ?? 0);
    return {
      chunkCount,
      averageLength: Number(rows[0]?.lengths ?? 0) / Math.max(1, chunkCount),
      /** The number of chunks with each term; terms without chunks are left out. */
      counts: new Map(
        rows.flatMap(({ term, count }) => (term === null ? [] : [[BigInt(term), count] as const])),
      ),
    };
  },

  /** Chunks that have any of the fetching terms, scored by BM25 over all terms, best first. */
  async search(
    query: Queryable,
    { workspaceId, botId }: KeywordScope,
    terms: readonly WeighedTerm[],
    { fetching, averageLength, limit }: { fetching: readonly bigint[]; averageLength: number; limit: number },
  ): Promise<KeywordHit[]> {
    return query.prepared<KeywordHit & Record<string, unknown>>(
      {
        name: 'knowledge_keyword_search',
        text: `select hit.*, exists (
                 select from knowledge_embeddings e join knowledge_statistics s on s.embedding_model = e.model
                 where s.workspace_id = $1 and e.chunk_id = hit."chunkId"
               ) as "isEmbedded"
               from (select t.chunk_id as "chunkId", sum(
                 asked.weight * found.frequency * ($8::float8 + 1)
                   / (found.frequency + $8::float8 * (1 - $9::float8 + $9::float8 * t.length / $6::float8))
               ) as score
               from knowledge_chunk_terms t
               join knowledge k on k.id = t.knowledge_id
               cross join unnest($4::bigint[], $5::float8[]) asked(term, weight)
               cross join lateral (
                 select t.frequencies[array_position(t.terms, asked.term)]::float8 as frequency
               ) found
               where t.terms && $3::bigint[] and t.workspace_id = $1
                 and k.status = 'active' and ($2::uuid is null or k.bot_id is null or k.bot_id = $2::uuid)
                 and found.frequency is not null
               group by t.chunk_id order by score desc, t.chunk_id limit $7) hit
               order by hit.score desc, hit."chunkId"`,
      },
      [
        workspaceId,
        botId ?? null,
        fetching.map(String),
        terms.map(({ term }) => String(term)),
        terms.map(({ weight }) => weight),
        averageLength,
        limit,
        bm25.k1,
        bm25.b,
      ],
    );
  },
};
