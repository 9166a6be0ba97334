import { hash } from 'node:crypto';
import type { Queryable, Transaction } from '../../../database/database.ts';
import { sql } from '../../../database/drizzle.ts';
import type { ConcurrentIndex } from '../../../database/pgvector.ts';
import type { VectorHit, VectorScope } from '../vector-index.ts';

/** One row per vector: a chunk may occur more than once. */
type VectorRow = VectorHit & Record<string, unknown>;

/** How many vectors the search of a graph compares closely at a time: fewer miss more in a workspace of half a million. */
const usualCandidates = 400;
/** As far as pgvector goes. */
const maxCandidates = 1_000;

/** Whose vectors are in one graph. */
type GraphScope = Pick<VectorScope, 'workspaceId' | 'model'>;

export interface LargeWorkspace extends Record<string, unknown> {
  workspaceId: string;
  chunks: number;
  /** The model by which it is searched now. */
  model: string | null;
}

export interface Graph extends Record<string, unknown> {
  name: string;
  isValid: boolean;
  /** The condition of its rows, as SQL. */
  condition: string;
}

export const pgvectorStore = {
  /**
   * The workspace's chunks; if they exceed `from`, also those that the bot may use. Those are counted only as far as a scan may
   * be worth it: up to the root of `factor` times the workspace.
   */
  async countChunks(
    query: Queryable,
    { workspaceId, botId }: Pick<VectorScope, 'workspaceId' | 'botId'>,
    from: number,
    factor: number,
  ): Promise<{ inWorkspace: number; inScope: number }> {
    const [row] = await query.prepared<{ workspace: string; scope: string | null }>(
      {
        name: 'knowledge_scope_size',
        // Source by source: the planner would rather read the chunks of all workspaces.
        text: `select s.chunk_count as workspace, case when s.chunk_count > $3 and $2::uuid is not null then (
                 select count(*) from (
                   select from knowledge k
                   cross join lateral (select from knowledge_chunks c where c.knowledge_id = k.id offset 0) chunk
                   where k.workspace_id = $1 and k.status = 'active' and (k.bot_id is null or k.bot_id = $2)
                   limit floor(sqrt($4::float8 * s.chunk_count))::bigint + 1
                 ) counted
               ) end as scope
               from knowledge_statistics s where s.workspace_id = $1`,
      },
      [workspaceId, botId ?? null, from, factor],
    );
    const inWorkspace = Number(row?.workspace ?? 0);
    return { inWorkspace, inScope: Number(row?.scope ?? inWorkspace) };
  },

  /**
   * The nearest vectors by the workspace's graph, whose scan continues until enough within the scope are found. Not strictly
   * ordered.
   */
  async searchGraph(
    tx: Transaction,
    { workspaceId, botId, model }: VectorScope,
    vector: Float32Array,
    limit: number,
  ): Promise<VectorRow[]> {
    const [exact, indexed] = [castTo('vector', vector), castTo(indexedType(vector.length), vector)];
    // A strict order would drop vectors that the graph reaches late, after those out of scope. Without sorting, only the graph
    // has the right order: the planner does not know how expensive vectors are.
    await tx.execute(
      sql`select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('enable_sort', 'off', true),
            set_config('hnsw.ef_search', ${String(Math.min(maxCandidates, Math.max(usualCandidates, limit)))}, true)`,
    );
    const { rows } = await tx.execute<VectorRow>(
      sql`select e.chunk_id as "chunkId", 1 - (e.vector::${exact.type} <=> ${exact.literal}) as similarity
          from knowledge_embeddings e join knowledge k on k.id = e.knowledge_id
          where ${sql.raw(inGraph({ workspaceId, model }, vector.length, 'e.'))} and ${isReachable(botId)}
          order by e.vector::${indexed.type} <=> ${indexed.literal} limit ${limit}`,
    );
    return rows;
  },

  /** Scans every vector of the scope. Reading one is most of the work, so each is read once, and never those out of scope. */
  async searchAll(
    query: Queryable,
    { workspaceId, botId, model }: VectorScope,
    vector: Float32Array,
    limit: number,
  ): Promise<VectorRow[]> {
    const { literal } = castTo('vector', vector);
    const { rows } = await query.execute<VectorRow>(
      sql`select chunk_id as "chunkId", 1 - (vector <=> ${literal}) as similarity
          from (
            select e.chunk_id, e.vector::vector from knowledge k
            join knowledge_embeddings e on e.workspace_id = k.workspace_id and e.knowledge_id = k.id
            where e.workspace_id = ${workspaceId} and e.model = ${model} and ${isReachable(botId)} offset 0
          ) scope
          where vector_dims(vector) = ${vector.length} order by similarity desc limit ${limit}`,
    );
    return rows;
  },

  /** The largest workspaces with more chunks than that. */
  async listLargeAcrossWorkspaces(
    query: Queryable,
    chunks: number,
    limit: number,
  ): Promise<LargeWorkspace[]> {
    const { rows } = await query.execute<LargeWorkspace>(
      sql`select workspace_id as "workspaceId", chunk_count::int as chunks, embedding_model as model
          from knowledge_statistics where chunk_count > ${chunks} order by chunk_count desc limit ${limit}`,
    );
    return rows;
  },

  /** Every graph of ours, those of earlier releases and unfinished ones included. */
  async listGraphsAcrossWorkspaces(query: Queryable): Promise<Graph[]> {
    const { rows } = await query.execute<Graph>(
      sql`select c.relname as name, i.indisvalid as "isValid", pg_get_expr(i.indpred, i.indrelid) as condition
          from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
          where i.indrelid = 'knowledge_embeddings'::regclass and a.amname = 'hnsw'
            and c.relname ~ '^knowledge_(vectors|embeddings)_[0-9a-f]{12}'`,
    );
    return rows;
  },

  async isEmptyAcrossWorkspaces(query: Queryable, { condition }: Pick<Graph, 'condition'>): Promise<boolean> {
    const { rows } = await query.execute<{ empty: boolean }>(
      sql`select not exists (select from knowledge_embeddings where ${sql.raw(condition)}) as empty`,
    );
    return rows[0]?.empty === true;
  },
};

/** Whether a source `k` is one of those that the bot may use, or of all active ones. */
function isReachable(botId: string | undefined) {
  return sql`k.status = 'active'
    and (${botId ?? null}::uuid is null or k.bot_id is null or k.bot_id = ${botId ?? null}::uuid)`;
}

/**
 * The graph of one workspace. One for all workspaces would find mostly vectors of others, and look at thousands of them until
 * it has enough of this one's. Undefined when the vectors are too long for a graph.
 */
export function graphOf(scope: GraphScope, dimensions: number): ConcurrentIndex | undefined {
  const type = indexedType(dimensions);
  if (type !== 'halfvec') return undefined;
  return {
    name: `${graphPrefix(scope)}${dimensions}`,
    definition: `on knowledge_embeddings using hnsw ((vector::${type}(${dimensions})) halfvec_cosine_ops) where ${inGraph(scope, dimensions)}`,
  };
}

/** How the names of the graphs of a workspace begin; with a model, of those of that model. Ends before the dimensions. */
export function graphPrefix({
  workspaceId,
  model,
}: Pick<GraphScope, 'workspaceId'> & Partial<GraphScope>): string {
  const short = (text: string) => `${hash('sha256', text).slice(0, 12)}_`;
  return `knowledge_vectors_${short(workspaceId)}${model === undefined ? '' : short(model)}`;
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
 * The condition of a graph and of every search in it as literal text: with parameters the planner might not match them. It
 * includes the size, because a server may have changed the model behind a name.
 */
function inGraph({ workspaceId, model }: GraphScope, dimensions: number, row = ''): string {
  return `${row}workspace_id = ${quoted(workspaceId)} and ${row}model = ${quoted(model)} and cardinality(${row}vector) = ${dimensions}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
