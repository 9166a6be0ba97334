import type { Database } from '../../database/database.ts';
import { ensurePgvector } from '../../database/pgvector.ts';
import type { ReadReplica } from '../../database/replica.ts';
import type { Log } from '../../lib/log.ts';
import { createInProcessIndex } from './in-process/in-process-index.ts';
import { createPgvectorIndex } from './pgvector/pgvector-index.ts';
import type { VectorIndex } from './vector-index.ts';

/** pgvector where PostgreSQL has it, else an index in memory. Both search the same rows. */
export async function openVectorIndex(options: {
  database: Database;
  read?: ReadReplica;
  log: Log;
}): Promise<VectorIndex> {
  const hasPgvector = await ensurePgvector(options.database, options.log);
  return hasPgvector ? createPgvectorIndex(options) : createInProcessIndex(options);
}
