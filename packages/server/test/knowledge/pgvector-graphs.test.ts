import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { ensurePgvector } from '../../src/database/pgvector.ts';
import { chunkStore } from '../../src/knowledge/chunks/chunks.store.ts';
import { openVectorIndex } from '../../src/knowledge/vector-index/open-vector-index.ts';
import { graphOf, pgvectorStore } from '../../src/knowledge/vector-index/pgvector/pgvector.store.ts';
import { createPgvectorIndex } from '../../src/knowledge/vector-index/pgvector/pgvector-index.ts';
import { eventually } from '../support/chat.ts';
import { createPgliteDatabase } from './pglite-database.ts';
import { type KnowledgeRows, knowledgeIn } from './support.ts';
import { numberedVector } from './vectors.ts';

const model = 'test/model';
/** Workspaces with more passages get a graph. */
const graphFrom = 20;
const logged: string[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
let opened: { database: Database; drop(): Promise<void> };
let database: Database;
let rows: KnowledgeRows;

beforeAll(async () => {
  opened = await createPgliteDatabase();
  database = opened.database;
  rows = knowledgeIn(database);
  await ensurePgvector(database, log);
});
beforeEach(async () => {
  await rows.rows('delete from workspaces');
  for (const name of await graphNames()) await rows.rows(`drop index ${name}`);
});
afterAll(() => opened.drop());

async function makeWorkspace(passages: number, botId?: (workspaceId: string) => Promise<string>) {
  const workspaceId = await rows.makeWorkspace();
  const options = botId ? { botId: await botId(workspaceId) } : {};
  return { workspaceId, knowledgeId: await addPassages(workspaceId, passages, options), ...options };
}

async function addPassages(workspaceId: string, passages: number, options: { botId?: string } = {}) {
  const texts = Array.from({ length: passages }, (_, place) => `Passage ${place}`);
  const knowledgeId = await rows.makeSource(workspaceId, texts, options);
  const chunkIds = await rows.chunkIdsOf(knowledgeId);
  const embedded = chunkIds.map((chunkId, seed) => ({ chunkId, vectors: [numberedVector(8, seed)] }));
  await database.acrossWorkspaces.transaction((tx) =>
    chunkStore.saveEmbeddings(tx, workspaceId, model, embedded),
  );
  return knowledgeId;
}

/** One for all workspaces. */
const graphOfEarlierRelease = `create index knowledge_embeddings_0123456789abcdef on knowledge_embeddings
  using hnsw ((vector::halfvec(8)) halfvec_cosine_ops) where model = 'test/model' and cardinality(vector) = 8`;
const graphNames = async () =>
  (await pgvectorStore.listGraphsAcrossWorkspaces(database.acrossWorkspaces))
    .map(({ name }) => name)
    .toSorted();
const nameOf = (workspaceId: string, dimensions = 8) => graphOf({ workspaceId, model }, dimensions)?.name;

it('is chosen where PostgreSQL offers it, without a word in the log', async () => {
  const index = await openVectorIndex({ database, log });
  const { workspaceId } = await makeWorkspace(1);
  const hits = await index.search({ workspaceId, botId: undefined, model }, numberedVector(8, 0), 5);
  expect(hits).toHaveLength(1);
  await index.stop();
  expect(logged).toEqual([]);
});

it('large workspaces have a graph each, small ones none, and unneeded ones are dropped', async () => {
  const index = createPgvectorIndex({ database, log, graphFrom });
  const [large, small] = [await makeWorkspace(21), await makeWorkspace(20)];
  await database.acrossWorkspaces.raw(graphOfEarlierRelease);
  await index.prepare(model, 8);
  expect(await graphNames()).toEqual([nameOf(large.workspaceId)]);

  // A workspace around the limit keeps its graph; one that is far below it does not need it anymore.
  await addPassages(small.workspaceId, 1);
  await index.prepare(model, 8);
  expect(await graphNames()).toEqual([nameOf(large.workspaceId), nameOf(small.workspaceId)].toSorted());
  await rows.rows('delete from knowledge where id = $1', [small.knowledgeId]);
  await index.prepare(model, 8);
  expect(await graphNames()).toEqual([nameOf(large.workspaceId)]);
  await rows.rows('delete from workspaces where id = $1', [large.workspaceId]);
  await index.prepare(model, 8);
  expect(await graphNames()).toEqual([]);
  await index.stop();
});

it('a workspace that has grown gets its graph by the next search, on every node', async () => {
  const [one, two] = [0, 1].map(() => createPgvectorIndex({ database, log, graphFrom }));
  const { workspaceId } = await makeWorkspace(30);
  const scope = { workspaceId, botId: undefined, model };
  const first = await one?.search(scope, numberedVector(8, 3), 5);
  await eventually(graphNames).toEqual([nameOf(workspaceId)]);
  // A node that did not build it finds it, and one whose graph another node has dropped does not miss anything.
  expect(await two?.search(scope, numberedVector(8, 3), 5)).toEqual(first);
  await rows.rows(`drop index ${nameOf(workspaceId)}`);
  expect(await one?.search(scope, numberedVector(8, 3), 5)).toEqual(first);
  await one?.prepare(model, 8);
  expect(await graphNames()).toEqual([nameOf(workspaceId)]);
  await Promise.all([one?.stop(), two?.stop()]);
});

it('is not scanned by every question while the graph of a very large workspace is built', async () => {
  const index = createPgvectorIndex({ database, log, graphFrom, scanAtMost: 50 });
  const { workspaceId } = await makeWorkspace(60);
  const botId = await rows.makeBot(workspaceId);
  await rows.rows('update knowledge set bot_id = $1', [botId]);
  await addPassages(workspaceId, 1);
  const search = (of?: string) => index.search({ workspaceId, botId: of, model }, numberedVector(8, 3), 5);
  // Words alone are searched; what another bot may use is little enough.
  expect(await search()).toBeUndefined();
  expect(await search(await rows.makeBot(workspaceId))).toHaveLength(1);
  await eventually(async () => (await search())?.length).toBe(5);
  await index.stop();
});

it('the graph of an earlier release serves until every large workspace has its own', async () => {
  const { workspaceId } = await makeWorkspace(60);
  await database.acrossWorkspaces.raw(graphOfEarlierRelease);
  const index = createPgvectorIndex({ database, log, graphFrom, scanAtMost: 50 });
  // Until there is a question, nothing is known of its vectors.
  await index.prepare(model, undefined);
  expect(await graphNames()).toEqual(['knowledge_embeddings_0123456789abcdef']);
  const asked = () => index.search({ workspaceId, botId: undefined, model }, numberedVector(8, 3), 5);
  expect(await asked()).toHaveLength(5);
  await index.prepare(model, undefined);
  expect(await graphNames()).toEqual([nameOf(workspaceId)]);
  expect(await asked()).toHaveLength(5);
  await index.stop();
});

it('of a model that only other nodes have is kept as long as there are vectors of it', async () => {
  const index = createPgvectorIndex({ database, log, graphFrom });
  const { workspaceId } = await makeWorkspace(30);
  await index.prepare(model, 8);
  await rows.rows(`update knowledge_statistics set embedding_model = 'test/other'`);
  await index.prepare('test/other', 8);
  expect(await graphNames()).toContain(nameOf(workspaceId));
  await rows.rows('delete from knowledge_embeddings');
  await index.prepare('test/other', 8);
  expect(await graphNames()).not.toContain(nameOf(workspaceId));
  await index.stop();
});

it('of a bot with a small part of a large workspace finds what a scan of its passages finds', async () => {
  const index = createPgvectorIndex({ database, log, graphFrom });
  const { workspaceId } = await makeWorkspace(300, (id) => rows.makeBot(id));
  const botId = await rows.makeBot(workspaceId);
  await addPassages(workspaceId, 10, { botId });
  await index.prepare(model, 8);
  const scope = { workspaceId, botId, model };
  const asked = numberedVector(8, 1_000);
  const expected = await pgvectorStore.searchAll(database.within(workspaceId), scope, asked, 5);
  const found = (await index.search(scope, asked, 5)) ?? [];
  expect(found.map(({ chunkId }) => chunkId)).toEqual(expected.map(({ chunkId }) => chunkId));
  await index.stop();
});

it('a large workspace is searched by its graph, and a small one without', async () => {
  const index = createPgvectorIndex({ database, log, graphFrom });
  const [large, small] = [await makeWorkspace(200), await makeWorkspace(15)];
  await index.prepare(model, 8);
  const scansOf = async (workspaceId: string) => {
    await rows.rows('select pg_stat_force_next_flush()');
    const found = await rows.rows<{ scans: string }>(
      'select idx_scan as scans from pg_stat_user_indexes where indexrelname = $1',
      [nameOf(workspaceId)],
    );
    return found.map(({ scans }) => Number(scans));
  };
  expect(await scansOf(large.workspaceId)).toEqual([0]);
  for (const { workspaceId } of [large, small])
    await index.search({ workspaceId, botId: undefined, model }, numberedVector(8, 1_000), 5);
  await eventually(() => scansOf(large.workspaceId)).toEqual([1]);
  expect(await scansOf(small.workspaceId)).toEqual([]);
  await index.stop();
});
