import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openFiles } from '../../src/files/open-files.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from '../knowledge/embeddings-server.ts';
import { knowledgeOf } from '../knowledge/user.ts';
import { type BucketServer, startBucketServer } from '../support/bucket-server.ts';
import { connectTo, lockTable } from '../support/faults/locks.ts';
import { createFleet, key, makeBot } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { makeCall } from '../support/make-call.ts';
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
  const botId = await makeBot(killed);
  const recording = randomBytes(30_000);
  const callId = await makeCall(store, { botId, status: 'ringing', endReason: null, recording });
  const rows = await connectTo(store.connection);
  const count = async (from: string) =>
    (await rows.query<{ count: number }>(`select count(*)::int from ${from}`)).rows[0]?.count;

  // Its transactions wait: of an upload, and of the move of a recording.
  const upload = await lockTable(store.connection, 'knowledge');
  // On a connection of its own, because a transaction sees the activity of its first look only.
  const move = await connectTo(store.connection);
  await move.query('begin');
  const locked = await move.query<{ pid: number }>(
    'select pg_backend_pid() as pid from call_recordings for update',
  );
  const as = { url: killed.url, key, call: killed.call(key) };
  const cutOff = expect(knowledgeOf(() => as).upload([['lost.txt', 'Lost.']])).rejects.toThrow();
  expect(await killed.call(key)(`POST /api/v1/calls/${callId}/end`)).toMatchObject({ status: 200 });
  await upload.blocks();
  await until('the recording is copied', async () =>
    Boolean(await count(`pg_stat_activity where ${locked.rows[0]?.pid} = any(pg_blocking_pids(pid))`)),
  );
  // On a busy machine a first attempt to copy it may have failed, and left more.
  const left = await bucket.keys();
  expect(left.length).toBeGreaterThanOrEqual(2);
  await killed.end('SIGKILL');
  await cutOff;
  await move.end();
  await upload.release();

  const next = await fleet.startHere(store, { ...embeddings.environment, ...bucket.environment });
  await until('the recording is moved', async () => (await count('call_recording_parts')) === 0);
  expect(await bucket.keys()).toEqual(expect.arrayContaining(left));
  expect(await count('file_deletions where attempts = 0 and due_at > now()')).toBeGreaterThanOrEqual(2);
  expect(await count('knowledge')).toBe(0);

  await rows.query('update file_deletions set due_at = now()');
  const config = readConfig(bucket.environment);
  const { rounds = [], close } = await openFiles({ config, database: store.database, log: pino() });
  // Two nodes have their rounds at the same time.
  await Promise.all([...rounds, ...rounds].map(({ work }) => work()));
  await close?.();
  await until('no node deletes any more', async () => (await count('file_deletions')) === 0);
  expect(await bucket.keys()).toHaveLength(1);
  const response = await fetch(`${next.url}/api/v1/calls/${callId}/recording`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(
    Buffer.from(await response.arrayBuffer())
      .subarray(44)
      .equals(recording),
  ).toBe(true);
  await rows.end();
});
