import type { Queryable } from '../../../database/database.ts';
import { sql } from '../../../database/drizzle.ts';

/** The listing of a workspace's vectors of one model, without the vectors themselves. */
export interface Listing {
  revision: string;
  /** Records of 34 bytes: chunk id, part, bot id; zeros for a source of all bots. */
  packed: Buffer;
  /** The number of vectors. */
  count: number;
}

const recordBytes = 34;

export const inProcessStore = {
  /** Incremented by every change of what the workspace's searches may find. */
  async revisionOf(query: Queryable, workspaceId: string): Promise<string> {
    const [row] = await query.prepared<{ revision: string }>(
      {
        name: 'knowledge_revision',
        text: 'select revision::text from knowledge_statistics where workspace_id = $1',
      },
      [workspaceId],
    );
    return row?.revision ?? '0';
  },

  /** One statement, so that the listing matches the revision. */
  async list(query: Queryable, workspaceId: string, model: string): Promise<Listing> {
    const { rows } = await query.execute<{ revision: string; packed: Buffer | null }>(
      sql`select s.revision::text, (
            select string_agg(
              uuid_send(e.chunk_id) || int2send(e.part) ||
                coalesce(uuid_send(k.bot_id), '\\x00000000000000000000000000000000'::bytea), ''
            )
            from knowledge_embeddings e join knowledge k on k.id = e.knowledge_id
            where e.workspace_id = s.workspace_id and e.model = ${model} and k.status = 'active'
          ) as packed
          from knowledge_statistics s where s.workspace_id = ${workspaceId}`,
    );
    const packed = rows[0]?.packed ?? Buffer.alloc(0);
    return { revision: rows[0]?.revision ?? '0', packed, count: packed.length / recordBytes };
  },

  /**
   * The vectors of chunks as records: chunk id, part, and the array in PostgreSQL's binary format. They come in one value,
   * because one row each would cost this thread more than the bytes do.
   */
  async loadVectors(
    query: Queryable,
    workspaceId: string,
    model: string,
    chunkIds: readonly string[],
  ): Promise<Buffer> {
    const { rows } = await query.execute<{ packed: Buffer | null }>(
      sql`select string_agg(uuid_send(chunk_id) || int2send(part) || array_send(vector), '') as packed
          from knowledge_embeddings
          where workspace_id = ${workspaceId} and model = ${model}
            and chunk_id = any(${sql.param(chunkIds)}::uuid[])`,
    );
    return rows[0]?.packed ?? Buffer.alloc(0);
  },
};
