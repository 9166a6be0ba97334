import type { Database } from '../../../database/database.ts';
import { buildIndex } from '../../../database/pgvector.ts';
import type { Log } from '../../../lib/log.ts';
import type { VectorHit, VectorIndex } from '../vector-index.ts';
import { hnswIndexFor, pgvectorStore } from './pgvector.store.ts';

/** A chunk may have several of the nearest vectors, so more vectors than chunks are requested. */
const vectorsPerChunk = 2;
const tryAgainMs = 600_000;

/** pgvector's index over the rows: nothing to load or synchronise, and the same for every node. */
export function createPgvectorIndex({ database, log }: { database: Database; log: Log }): VectorIndex {
  const prepared = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  async function prepare(model: string, dimensions: number): Promise<void> {
    const index = hnswIndexFor(model, dimensions);
    if (!index) return;
    const building =
      prepared.get(index.name) ??
      buildIndex(database, index, stopping.signal).catch((error: unknown) => {
        setTimeout(() => prepared.delete(index.name), tryAgainMs).unref();
        if (!stopping.signal.aborted)
          log.warn(
            { err: error, model },
            'The index of vectors was not built; searches look at all of them.',
          );
      });
    prepared.set(index.name, building);
    await building;
  }

  return {
    async search(scope, vector, limit) {
      // For a model whose dimensions were unknown at the start. Until it is built, all vectors are scanned.
      void prepare(scope.model, vector.length);
      const wanted = limit * vectorsPerChunk;
      const statements = database.within(scope.workspaceId);
      const rows = await statements.transaction((tx) =>
        pgvectorStore.searchIndexed(tx, scope, vector, wanted),
      );
      if (rows.length === wanted) return nearestOfEach(rows, limit);
      // Either there are no more, or the index scan stopped before it reached this workspace's.
      return nearestOfEach(await pgvectorStore.searchAll(statements, scope, vector, wanted), limit);
    },
    prepare,
    async stop() {
      stopping.abort();
      await Promise.all(prepared.values());
    },
  };
}

function nearestOfEach(rows: readonly VectorHit[], limit: number): VectorHit[] {
  const best = new Map<string, VectorHit>();
  for (const { chunkId, similarity } of rows.toSorted((one, other) => other.similarity - one.similarity)) {
    if (!best.has(chunkId)) best.set(chunkId, { chunkId, similarity });
  }
  return [...best.values()].slice(0, limit);
}
