import { hash } from 'node:crypto';
import type { Queryable, Transaction } from '../../../database/database.ts';
import { sql } from '../../../database/drizzle.ts';
import type { ConcurrentIndex } from '../../../database/pgvector.ts';
import type { VectorHit, VectorScope } from '../vector-index.ts';

/** One row per vector: a chunk may occur more than once. */
type VectorRow = VectorHit & Record<string, unknown>;

export const pgvectorStore = {
  /**
   * The nearest vectors by the index, or by scanning the workspace's vectors if PostgreSQL finds that cheaper. The index scan
   * continues until enough vectors within the scope are found. Not strictly ordered.
   */
  async searchIndexed(
    tx: Transaction,
    { workspaceId, botId, model }: VectorScope,
    vector: Float32Array,
    limit: number,
  ): Promise<VectorRow[]> {
    const [exact, indexed] = [castTo('vector', vector), castTo(indexedType(vector.length), vector)];
    // A strict order would drop vectors that the index reaches late, after those of other workspaces.
    await tx.execute(sql`set local hnsw.iterative_scan = relaxed_order`);
    await tx.execute(sql.raw(`set local hnsw.ef_search = ${Math.min(1_000, Math.max(100, limit))}`));
    const { rows } = await tx.execute<VectorRow>(
      sql`select e.chunk_id as "chunkId", 1 - (e.vector::${exact.type} <=> ${exact.literal}) as similarity
          from knowledge_embeddings e join knowledge k on k.id = e.knowledge_id
          where ${inScope({ workspaceId, botId, model }, vector.length)}
          order by e.vector::${indexed.type} <=> ${indexed.literal} limit ${limit}`,
    );
    return rows;
  },

  /** Scans every vector of the scope. */
  async searchAll(
    query: Queryable,
    { workspaceId, botId, model }: VectorScope,
    vector: Float32Array,
    limit: number,
  ): Promise<VectorRow[]> {
    const { type, literal } = castTo('vector', vector);
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

/** One index per model: vectors of different sizes cannot share one. Undefined when they are too long for an index. */
export function hnswIndexFor(model: string, dimensions: number): ConcurrentIndex | undefined {
  const type = indexedType(dimensions);
  if (type !== 'halfvec') return undefined;
  return {
    name: `knowledge_embeddings_${hash('sha256', `${model} ${type} ${dimensions}`).slice(0, 16)}`,
    definition: `on knowledge_embeddings using hnsw ((vector::${type}(${dimensions})) halfvec_cosine_ops) where ${ofModel(model, dimensions)}`,
    // Of earlier releases, with whole numbers: twice as large.
    replaces: `knowledge_embeddings_${hash('sha256', `${model} ${dimensions}`).slice(0, 16)}`,
  };
}

/** Numbers of half the length choose the candidates: their index is half as large. It supports 4,000 dimensions. */
function indexedType(dimensions: number): 'halfvec' | 'vector' {
  return dimensions <= 4_000 ? 'halfvec' : 'vector';
}

function castTo(name: 'halfvec' | 'vector', vector: Float32Array) {
  const type = sql.raw(`${name}(${vector.length})`);
  return { type, literal: sql`${`[${vector.join(',')}]`}::${type}` };
}

/**
 * The condition of the index and of every search as literal text: with parameters the planner might not match them. It
 * includes the size, because a server may have changed the model behind a name.
 */
function ofModel(model: string, dimensions: number): string {
  return `model = ${quoted(model)} and cardinality(vector) = ${dimensions}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
