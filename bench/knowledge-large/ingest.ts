import type { Database } from '../../packages/server/src/database/database.ts';
import { chunkStore } from '../../packages/server/src/knowledge/chunks/chunks.store.ts';
import { dimensions } from '../knowledge/fill.ts';

/** As many as are embedded and stored together. */
const pageSize = 64;
const pages = 15;

/** Stores vectors of passages as the service does, and returns how many passages a second. */
export async function ingest(database: Database, workspaceId: string, model: string): Promise<number> {
  const statements = database.within(workspaceId);
  let milliseconds = 0;
  let stored = 0;
  for (let page = 0; page < pages; page += 1) {
    const chunks = await chunkStore.listUnembedded(statements, workspaceId, undefined, model, pageSize);
    const embedded = chunks.map(({ id }) => ({ chunkId: id, vectors: [randomVector()] }));
    const started = performance.now();
    await statements.transaction((tx) => chunkStore.saveEmbeddings(tx, workspaceId, model, embedded));
    milliseconds += performance.now() - started;
    stored += chunks.length;
  }
  return stored / (milliseconds / 1000);
}

function randomVector(): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
