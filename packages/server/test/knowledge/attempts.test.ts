import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { createIngestion, type IngestionDependencies } from '../../src/knowledge/ingestion/ingest.ts';
import { queueFor } from '../../src/knowledge/ingestion/ingestion.queue.ts';
import { WaitedTooLong } from '../../src/knowledge/web/waited-too-long.ts';
import { defaultRetryPolicy } from '../../src/models/retry.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { eventually, type KnowledgeUser, knowledgeOf } from './user.ts';
import { startWebSite, type WebSite } from './web-site.ts';

let embeddings: EmbeddingsServer;
let site: WebSite;
let opened: TestDatabase;
let node: TestNode;
let knowledge: KnowledgeUser;
const start = () =>
  startNode({
    database: opened.database,
    environment: {
      ...embeddings.environment,
      SVC_EGRESS_ALLOW: '127.0.0.1',
    },
  });
beforeAll(async () => {
  [embeddings, site, opened] = await Promise.all([
    startEmbeddingsServer(),
    startWebSite(),
    createTestDatabase(),
  ]);
  knowledge = knowledgeOf(() => node);
  node = await start();
});
afterAll(async () => {
  await node.stop();
  await Promise.all([embeddings.close(), site.close()]);
  await opened.drop();
});

/** Takes less to read than an article. */
const plain = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body });

const longText = Array.from(
  { length: 40 },
  (_, index) => `## Part ${index}\n\n${`The plover of part ${index} is as it should be. `.repeat(20)}`,
).join('\n\n');
const rowOf = async (id: string) => {
  const { rows } = await opened.database.acrossWorkspaces.execute<{
    attempts: number;
    fence: number;
    status: string;
  }>(sql`select attempts, fence, processing_status as status from knowledge where id = ${id}`);
  return rows[0];
};
const countJobs = async (id: string) => {
  const { rows } = await opened.database.acrossWorkspaces.execute<{ count: number }>(
    sql`select count(*)::int as count from pgboss.job
        where name = 'knowledge-ingestion' and data ->> 'knowledgeId' = ${id}`,
  );
  return rows[0]?.count;
};

it('an attempt that made progress resets the count of attempts', async () => {
  const refusals = Array.from({ length: defaultRetryPolicy.attempts }, () => 429);
  embeddings.failWith(...refusals, 200, ...refusals);
  const id = await knowledge.addText(longText);
  // It waits for its second attempt; from here on as if that were the last one.
  await eventually(async () => {
    const { rows } = await opened.database.acrossWorkspaces.execute(
      sql`update knowledge set attempts = 5 where id = ${id} and processing_status = 'pending'
            and processing_progress > 0.3 and attempts < 5 returning id`,
    );
    return rows.length;
  }).toBe(1);
  await knowledge.completed(id);
  expect(await rowOf(id)).toMatchObject({ attempts: 0, fence: 3 });
});

it('a restart is not an attempt', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let visits = 0;
  site.pages['/slow'] = () => {
    visits += 1;
    const page = plain('A dotterel runs and stops, and runs again, as long as it is light.');
    return visits === 1 ? { ...page, until: promise } : page;
  };
  const id = await knowledge.addUrl(`${site.url}/slow`);
  await eventually(() => visits).toBe(1);
  expect(await rowOf(id)).toMatchObject({ attempts: 1, status: 'processing' });
  await node.stop(0);
  await eventually(() => rowOf(id)).toMatchObject({ attempts: 0, status: 'pending' });
  resolve();
  node = await start();
  await knowledge.completed(id);
});

it('a source that was started too often fails and shows what to do', async () => {
  site.pages['/often'] = { status: 503 };
  const id = await knowledge.addUrl(`${site.url}/often`);
  await eventually(async () => {
    const { rows } = await opened.database.acrossWorkspaces.execute(
      sql`update knowledge set attempts = 6 where id = ${id} and processing_status = 'pending' and attempts > 0
          returning id`,
    );
    return rows.length;
  }).toBe(1);
  expect(await knowledge.settled(id)).toMatchObject({
    processing_status: 'failed',
    error: expect.stringMatching(/^It could not be processed.*refresh it/),
  });
});

it('a start creates a job only for a source that has lost its own', async () => {
  const release = embeddings.hold();
  const busy = await knowledge.addText(longText);
  await eventually(async () => (await knowledge.read(busy)).processing_progress).toBe(0.4);
  const left = { pending: uuidv7(), processing: uuidv7(), resting: uuidv7() };
  for (const [name, id] of Object.entries(left)) {
    await opened.database.acrossWorkspaces.execute(
      sql`insert into knowledge (id, workspace_id, title, has_own_title, content_type, content, processing_status, status)
          select ${id}, id, 'Left', true, 'text', 'A redshank was left behind.',
            ${name === 'resting' ? 'pending' : name}, ${name === 'resting' ? 'inactive' : 'active'}
          from workspaces limit 1`,
    );
  }
  const second = await start();
  expect(await countJobs(busy)).toBe(1);
  expect(await countJobs(left.resting)).toBe(0);
  release();
  for (const id of [busy, left.pending, left.processing]) {
    await knowledge.completed(id);
    expect(await rowOf(id)).toMatchObject({ fence: 1 });
    expect(await countJobs(id)).toBe(1);
  }
  await second.stop();
});

it('a refresh is done once per Idempotency-Key', async () => {
  const id = await knowledge.addText('The godwit flies without a rest.');
  await knowledge.completed(id);
  const headers = { 'idempotency-key': randomUUID() };
  const refresh = () => node.call(`POST /api/v1/knowledge/${id}/refresh`, { headers });
  const first = await refresh();
  expect(first).toMatchObject({ status: 200, body: { message: expect.any(String) } });
  expect((await refresh()).body).toEqual(first.body);
  const { rows } = await opened.database.acrossWorkspaces.execute<{ revision: number }>(
    sql`select revision from knowledge where id = ${id}`,
  );
  expect(rows).toEqual([{ revision: 2 }]);
  await knowledge.completed(id);
});

/** A pending source without a job. */
async function leavePage(
  url: string,
): Promise<{ workspaceId: string; knowledgeId: string; revision: number }> {
  const { rows } = await opened.database.acrossWorkspaces.execute<{
    workspace: string;
    id: string;
    revision: number;
  }>(
    sql`insert into knowledge (id, workspace_id, title, has_own_title, content_type, content, source_url, processing_status)
        select ${uuidv7()}, id, 'Left', true, 'url', '', ${url}, 'pending' from workspaces limit 1
        returning workspace_id as workspace, id, revision`,
  );
  const [row] = rows;
  if (!row) throw new Error('There is no workspace.');
  return { workspaceId: row.workspace, knowledgeId: row.id, revision: row.revision };
}

it('a page that was queued with texts and files is moved to the queue of pages', async () => {
  await node.stop(0);
  const gate = Promise.withResolvers<void>();
  site.pages['/moved'] = { ...plain('A whimbrel calls seven times.'), until: gate.promise };
  const ingestion = await leavePage(`${site.url}/moved`);
  await opened.database.acrossWorkspaces.execute(
    sql`insert into pgboss.job (name, data) values ('knowledge-ingestion', ${JSON.stringify(ingestion)}::jsonb)`,
  );
  node = await start();
  await eventually(async () => {
    const { rows } = await opened.database.acrossWorkspaces.execute(
      sql`select name, state, group_id as group from pgboss.job
          where data ->> 'knowledgeId' = ${ingestion.knowledgeId} order by name`,
    );
    return rows;
  }).toEqual([
    { name: 'knowledge-ingestion', state: 'completed', group: ingestion.workspaceId },
    { name: 'knowledge-pages', state: 'active', group: ingestion.workspaceId },
  ]);
  await eventually(() => rowOf(ingestion.knowledgeId)).toMatchObject({ attempts: 1, status: 'processing' });
  gate.resolve();
  await knowledge.completed(ingestion.knowledgeId);
});

it('a page that was not fetched in time is queued again without counting an attempt', async () => {
  await node.stop(0);
  const asked = await leavePage(`${site.url}/never`);
  const enqueue = vi.fn<Jobs['enqueue']>();
  const unused = {} as Pick<IngestionDependencies, 'extractor' | 'embedMissing' | 'files'>;
  const ingest = createIngestion({
    noteChange: () => undefined,
    ...unused,
    database: opened.database,
    clock: { now: () => new Date(0) },
    log: pino({ level: 'silent' }),
    jobs: { enqueue },
    fetchPage: () => Promise.reject(new WaitedTooLong()),
  });
  const queue = queueFor('url');
  await ingest(queue)(asked, new AbortController().signal, { isLast: false });
  expect(await rowOf(asked.knowledgeId)).toMatchObject({ attempts: 0, status: 'pending' });
  expect(enqueue.mock.calls.map((call) => call.slice(1))).toEqual([
    [queue, asked, { startAfter: new Date(30_000) }],
  ]);
  await opened.database.acrossWorkspaces.execute(sql`delete from knowledge where id = ${asked.knowledgeId}`);
  node = await start();
});
