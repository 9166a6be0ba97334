import type { Database } from '../../packages/server/src/database/database.ts';

const batchSize = 2_000;
const best = 50;

/** The least that has to be done: all vectors in one piece of memory, and one loop over them. No scope, no thread, no words. */
export async function bareScan(
  database: Database,
  workspaceId: string,
  dimensions: number,
): Promise<(vector: Float32Array) => void> {
  const pieces: Float32Array[] = [];
  let after = { id: '00000000-0000-0000-0000-000000000000', part: 0 };
  for (;;) {
    const { rows } = await database.acrossWorkspaces.raw(
      `select chunk_id as id, part, array_send(vector) as bytes from knowledge_embeddings
       where workspace_id = $1 and (chunk_id, part) > ($2, $3) order by chunk_id, part limit ${batchSize}`,
      [workspaceId, after.id, after.part],
    );
    for (const { id, part, bytes } of rows as { id: string; part: number; bytes: Buffer }[]) {
      pieces.push(Float32Array.from({ length: dimensions }, (_, at) => bytes.readFloatBE(24 + at * 8)));
      after = { id, part };
    }
    if (rows.length < batchSize) break;
  }
  const matrix = new Float32Array(pieces.length * dimensions);
  for (const [place, piece] of pieces.entries()) matrix.set(piece, place * dimensions);

  return (vector) => {
    const found: { place: number; similarity: number }[] = [];
    let worst = Number.NEGATIVE_INFINITY;
    for (let place = 0; place < pieces.length; place += 1) {
      const start = place * dimensions;
      let similarity = 0;
      for (let at = 0; at < dimensions; at += 1) similarity += (matrix[start + at] ?? 0) * (vector[at] ?? 0);
      if (found.length >= best && similarity <= worst) continue;
      found.push({ place, similarity });
      found.sort((one, other) => other.similarity - one.similarity);
      if (found.length > best) found.pop();
      worst = found.at(-1)?.similarity ?? worst;
    }
  };
}
