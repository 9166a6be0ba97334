import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSpender, type Spender } from '../../packages/server/src/billing/spender.ts';
import { type Database, openDatabase } from '../../packages/server/src/database/database.ts';
import { openEmbeddedDatabase } from '../../packages/server/src/database/embedded/open-embedded-database.ts';
import { migrate } from '../../packages/server/src/database/migrate.ts';
import { createTrustedLane } from '../../packages/server/src/egress/trusted-lane.ts';
import { createInProcessIndex } from '../../packages/server/src/knowledge/vector-index/in-process/in-process-index.ts';
import type { VectorIndex } from '../../packages/server/src/knowledge/vector-index/vector-index.ts';
import { createLog, type Log } from '../../packages/server/src/lib/log.ts';
import {
  createEmbedderRegistry,
  type EmbedderRegistry,
} from '../../packages/server/src/models/embeddings/embedder-registry.ts';
import type { CleanUp } from '../support/clean-up.ts';

export interface Stage {
  database: Database;
  embedders: EmbedderRegistry;
  index: VectorIndex;
  spender: Spender;
  log: Log;
}

/** More than the service allows, so that 100,000 chunks can be measured; and no search goes without its vectors. */
const maxBytes = 2 * 1024 ** 3;
const patienceMs = 600_000;

/** What the service searches with when nothing is configured: its own PostgreSQL, index and embeddings. */
export async function openStage(cleanUp: CleanUp): Promise<Stage> {
  const log = createLog({ level: 'warn', readable: false });
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  await cleanUp.add(() => rm(directory, { recursive: true, force: true }));
  const embedded = await openEmbeddedDatabase({ directory, role: 'service' });
  await cleanUp.add(() => embedded.stop());
  const database = openDatabase({
    connection: embedded.connection,
    onConnectionError: (error) => log.warn({ err: error }, 'A connection failed.'),
  });
  await cleanUp.add(() => database.close());
  await migrate(database);
  const lane = createTrustedLane();
  await cleanUp.add(() => lane.close());
  const embedders = createEmbedderRegistry({ providers: {}, lane, log });
  await cleanUp.add(() => embedders.stop());
  const index = createInProcessIndex({ database, log, maxBytes, patienceMs });
  await cleanUp.add(() => index.stop());
  const models = { priceOf: () => undefined };
  const spender = createSpender({ database, models, creditOf: async () => null, nodeId: '' });
  return { database, embedders, index, spender, log };
}
