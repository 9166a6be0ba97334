import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openFiles } from '../../src/files/open-files.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from '../knowledge/embeddings-server.ts';
import { knowledgeOf } from '../knowledge/user.ts';
import { type BucketServer, startBucketServer } from '../support/bucket-server.ts';
import { connectTo, lockTable } from '../support/faults/locks.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const fleet = createFleet();
let bucket: BucketServer;
let embeddings: EmbeddingsServer;
let store: TestDatabase;
beforeAll(async () => {
  [bucket, embeddings, store] = await Promise.all([
    startBucketServer(),
    startEmbeddingsServer(),
    createTestDatabase(),
  ]);
});
afterAll(async () => {
  await fleet.end();
  await store.drop();
  await embeddings.close();
  await bucket.remove();
});

it('a node that is killed between an object and its row leaves neither behind', async () => {
  const environment = { ...store.environment, ...embeddings.environment, ...bucket.environment };
  const killed = await fleet.start(environment);
  const rows = await connectTo(store.connection);
  const count = async (from: string) =>
    (await rows.query<{ count: number }>(`select count(*)::int from ${from}`)).rows[0]?.count;

  const upload = await lockTable(store.connection, 'knowledge');
  const as = { url: killed.url, key, call: killed.call(key) };
  const cutOff = expect(knowledgeOf(() => as).upload([['lost.txt', 'Lost.']])).rejects.toThrow();
  await upload.blocks();
  const left = await bucket.keys();
  expect(left).toHaveLength(1);
  await killed.end('SIGKILL');
  await cutOff;
  await upload.release();

  await fleet.startHere(store, { ...embeddings.environment, ...bucket.environment });
  expect(await bucket.keys()).toEqual(left);
  expect(await count('file_deletions where attempts = 0 and due_at > now()')).toBe(1);
  expect(await count('knowledge')).toBe(0);

  await rows.query('update file_deletions set due_at = now()');
  const config = readConfig(bucket.environment);
  const { rounds = [], close } = await openFiles({ config, database: store.database, log: pino() });
  // Two nodes have their rounds at the same time.
  await Promise.all([...rounds, ...rounds].map(({ work }) => work()));
  await close?.();
  await until('no node deletes any more', async () => (await count('file_deletions')) === 0);
  expect(await bucket.keys()).toEqual([]);
  await rows.end();
});
