import { hash } from 'node:crypto';
import type { Queryable, Transaction } from '../../../database/database.ts';
import { sql } from '../../../database/drizzle.ts';
import type { ConcurrentIndex } from '../../../database/pgvector.ts';
import type { VectorHit, VectorScope } from '../vector-index.ts';

/** A row for each vector: a chunk may come more than once. */
type VectorRow = VectorHit & Record<string, unknown>;

export const pgvectorStore = {
  /**
   * The nearest vectors through the index, or through all of the workspace's if PostgreSQL finds that cheaper. The
   * index goes on until enough are found that fit the scope: what does not fit is passed over before it is counted. Not
   * quite in order.
   */
  async searchIndexed(
    tx: Transaction,
    { workspaceId, botId, model }: VectorScope,
    vector: Float32Array,
    limit: number,
  ): Promise<VectorRow[]> {
    const { type, literal } = typed(vector);
    // A strict order would leave out what the index comes to late, because it looked at other workspaces' first.
    await tx.execute(sql`set local hnsw.iterative_scan = relaxed_order`);
    await tx.execute(sql.raw(`set local hnsw.ef_search = ${Math.min(1_000, Math.max(100, limit))}`));
    const { rows } = await tx.execute<VectorRow>(
      sql`select e.chunk_id as "chunkId", 1 - (e.vector::${type} <=> ${literal}) as similarity
          from knowledge_embeddings e join knowledge k on k.id = e.knowledge_id
          where ${inScope({ workspaceId, botId, model }, vector.length)}
          order by e.vector::${type} <=> ${literal} limit ${limit}`,
    );
    return rows;
  },

  /** Looks at every vector of the scope. */
  async searchAll(
    query: Queryable,
    { workspaceId, botId, model }: VectorScope,
    vector: Float32Array,
    limit: number,
  ): Promise<VectorRow[]> {
    const { type, literal } = typed(vector);
    const { rows } = await query.execute<VectorRow>(
      sql`with scope as materialized (
            select e.chunk_id, e.vector from knowledge_embeddings e join knowledge k on k.id = e.knowledge_id
            where ${inScope({ workspaceId, botId, model }, vector.length)}
          )
          select chunk_id as "chunkId", 1 - (vector::${type} <=> ${literal}) as similarity
          from scope order by similarity desc limit ${limit}`,
    );
    return rows;
  },
};

function inScope({ workspaceId, botId, model }: VectorScope, dimensions: number) {
  return sql`${sql.raw(ofModel(model, dimensions))} and e.workspace_id = ${workspaceId} and k.status = 'active'
    and (${botId ?? null}::uuid is null or k.bot_id is null or k.bot_id = ${botId ?? null}::uuid)`;
}

/** One index for each model: vectors of different sizes cannot share one. Undefined when they are too long for any. */
export function hnswIndexFor(model: string, dimensions: number): ConcurrentIndex | undefined {
  const type = typeFor(dimensions);
  if (!type) return undefined;
  const operators = type.startsWith('halfvec') ? 'halfvec_cosine_ops' : 'vector_cosine_ops';
  return {
    name: `knowledge_embeddings_${hash('sha256', `${model} ${dimensions}`).slice(0, 16)}`,
    definition: `on knowledge_embeddings using hnsw ((vector::${type}) ${operators}) where ${ofModel(model, dimensions)}`,
  };
}

/** An index holds 2,000 dimensions, or twice as many of half the precision. */
function typeFor(dimensions: number): string | undefined {
  if (dimensions <= 2_000) return `vector(${dimensions})`;
  return dimensions <= 4_000 ? `halfvec(${dimensions})` : undefined;
}

function typed(vector: Float32Array) {
  const type = sql.raw(typeFor(vector.length) ?? `vector(${vector.length})`);
  return { type, literal: sql`${`[${vector.join(',')}]`}::${type}` };
}

/**
 * The condition of the index and of every search, letter by letter: as a parameter it might not be seen to be the same. A
 * server may have changed what stands behind a model's name, so the size counts, too.
 */
function ofModel(model: string, dimensions: number): string {
  return `model = ${quoted(model)} and cardinality(vector) = ${dimensions}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
