import type { Queryable, Transaction } from '../../database/database.ts';
import { and, eq, inArray, sql } from '../../database/drizzle.ts';
import { newId } from '../../lib/new-id.ts';
import { unpackTerms } from '../keywords/packed-terms.ts';
import { knowledgeChunks as chunks } from './chunks.tables.ts';
import type { IndexedChunk } from './index-chunks.ts';
import { planReplacement } from './replacement.ts';

export interface UnembeddedChunk {
  id: string;
  knowledgeId: string;
  headingPath: string[];
  content: string;
}

/** A model with a short input limit gives a passage several vectors. */
export interface ChunkVectors {
  chunkId: string;
  vectors: Float32Array[];
}

const batchSize = 200;

export const chunkStore = {
  /**
   * Replaces a source's chunks and their terms. Unchanged chunks keep their rows and vectors. The source's row is locked
   * until the transaction ends.
   */
  async replaceChunks(
    tx: Transaction,
    workspaceId: string,
    knowledgeId: string,
    wanted: readonly IndexedChunk[],
  ): Promise<void> {
    await lockSources(tx, workspaceId, [knowledgeId]);
    const ofSource = and(eq(chunks.workspaceId, workspaceId), eq(chunks.knowledgeId, knowledgeId));
    const stored = await tx
      .select({ id: chunks.id, position: chunks.position, contentHash: chunks.contentHash })
      .from(chunks)
      .where(ofSource)
      .orderBy(chunks.position);
    const { moved, removed, added } = planReplacement(stored, wanted);
    if (removed.length > 0) await tx.delete(chunks).where(and(ofSource, inArray(chunks.id, removed)));
    if (moved.length > 0) await move(tx, workspaceId, moved);
    for (let start = 0; start < added.length; start += batchSize) {
      const rows = added.slice(start, start + batchSize).map((chunk) => ({ ...chunk, id: newId() }));
      await tx.insert(chunks).values(
        rows.map(({ terms: _terms, contentHash, ...row }) => ({
          ...row,
          contentHash: Buffer.from(contentHash, 'base64'),
          workspaceId,
          knowledgeId,
        })),
      );
      await insertTerms(tx, workspaceId, knowledgeId, rows);
    }
  },

  async countChunks(query: Queryable, workspaceId: string, knowledgeId: string): Promise<number> {
    const { rows } = await query.execute<{ count: number }>(
      sql`select count(*)::int as count from knowledge_chunks
          where workspace_id = ${workspaceId} and knowledge_id = ${knowledgeId}`,
    );
    return rows[0]?.count ?? 0;
  },

  /**
   * Chunks without a vector of the model: of one source, or of all sources in the workspace except those being processed,
   * whose own jobs embed them.
   */
  async listUnembedded(
    query: Queryable,
    workspaceId: string,
    knowledgeId: string | undefined,
    model: string,
    limit: number,
  ): Promise<UnembeddedChunk[]> {
    const ofSource =
      knowledgeId === undefined
        ? sql`and not exists (select from knowledge k where k.id = c.knowledge_id and ${isProcessed})`
        : sql`and c.knowledge_id = ${knowledgeId}`;
    const { rows } = await query.execute<UnembeddedChunk & Record<string, unknown>>(
      sql`select c.id, c.knowledge_id as "knowledgeId", c.heading_path as "headingPath", c.content
          from knowledge_chunks c
          where c.workspace_id = ${workspaceId} ${ofSource}
            and not exists (select from knowledge_embeddings e where e.chunk_id = c.id and e.model = ${model})
          order by c.knowledge_id, c.position limit ${limit}`,
    );
    return rows;
  },

  /**
   * Vectors of length one. A chunk that no longer exists is skipped; one that already has vectors of the model keeps them.
   * The first model of a workspace becomes the one that searches use.
   */
  async saveEmbeddings(
    tx: Transaction,
    workspaceId: string,
    model: string,
    embedded: readonly ChunkVectors[],
  ): Promise<void> {
    const chunkIds = embedded.map(({ chunkId }) => chunkId);
    const found = await tx
      .select({ knowledgeId: chunks.knowledgeId })
      .from(chunks)
      .where(and(eq(chunks.workspaceId, workspaceId), inArray(chunks.id, chunkIds)))
      .groupBy(chunks.knowledgeId);
    await lockSources(
      tx,
      workspaceId,
      found.map(({ knowledgeId }) => knowledgeId),
    );
    const parts = embedded.flatMap(({ chunkId, vectors }) =>
      vectors.map((vector, part) => ({ chunkId, part, vector: arrayLiteral([...vector].map(shortest)) })),
    );
    await tx.execute(
      sql`insert into knowledge_embeddings (chunk_id, model, part, workspace_id, knowledge_id, vector)
          select c.id, ${model}, made.part, c.workspace_id, c.knowledge_id, made.vector::real[]
          from unnest(${sql.param(parts.map(({ chunkId }) => chunkId))}::uuid[], ${sql.param(parts.map(({ part }) => part))}::smallint[],
            ${sql.param(parts.map(({ vector }) => vector))}::text[]) made(chunk_id, part, vector)
          join knowledge_chunks c on c.id = made.chunk_id and c.workspace_id = ${workspaceId}
          on conflict do nothing`,
    );
    await tx.execute(
      sql`update knowledge_statistics set embedding_model = ${model}
          where workspace_id = ${workspaceId} and embedding_model is null`,
    );
  },
};

/** A source `k` whose own job embeds it. An inactive source has no job until it is restored, and then a new one. */
export const isProcessed = sql`k.processing_status in ('pending', 'processing')`;

/** Locks sources before statistics, always in this order, so that concurrent writers cannot deadlock. */
async function lockSources(tx: Transaction, workspaceId: string, knowledgeIds: string[]): Promise<void> {
  await tx.execute(
    sql`select id from knowledge where workspace_id = ${workspaceId} and id = any(${sql.param(knowledgeIds)}::uuid[])
        order by id for no key update`,
  );
}

async function move(
  tx: Transaction,
  workspaceId: string,
  moved: readonly { id: string; position: number }[],
): Promise<void> {
  const ids = moved.map(({ id }) => id);
  // Positions are unique and set one row at a time, so all of them are freed first.
  await tx.execute(
    sql`update knowledge_chunks set position = -1 - position
        where workspace_id = ${workspaceId} and id = any(${sql.param(ids)}::uuid[])`,
  );
  await tx.execute(
    sql`update knowledge_chunks c set position = wanted.position
        from unnest(${sql.param(ids)}::uuid[], ${sql.param(moved.map(({ position }) => position))}::integer[]) wanted(id, position)
        where c.workspace_id = ${workspaceId} and c.id = wanted.id`,
  );
}

async function insertTerms(
  tx: Transaction,
  workspaceId: string,
  knowledgeId: string,
  rows: readonly (IndexedChunk & { id: string })[],
): Promise<void> {
  const terms = rows.map((row) => row.terms);
  await tx.execute(
    sql`insert into knowledge_chunk_terms (chunk_id, workspace_id, knowledge_id, length, terms, frequencies)
        select id, ${workspaceId}, ${knowledgeId}, length, terms::bigint[], frequencies::smallint[]
        from unnest(${sql.param(rows.map(({ id }) => id))}::uuid[], ${sql.param(terms.map(({ length }) => length))}::integer[],
          ${sql.param(terms.map((packed) => arrayLiteral(unpackTerms(packed))))}::text[],
          ${sql.param(terms.map(({ frequencies }) => `{${frequencies}}`))}::text[])
          made(id, length, terms, frequencies)`,
  );
}

function arrayLiteral(values: Iterable<bigint | number | string>): string {
  return `{${[...values].join(',')}}`;
}

/** The digits of a 32-bit float. */
function shortest(value: number): string {
  return value.toPrecision(9);
}
