import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { sampleOf } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { docx, pdf } from './documents.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { eventually, knowledgeOf } from './user.ts';

let embeddings: EmbeddingsServer;
let service: TestApp;
beforeAll(async () => {
  embeddings = await startEmbeddingsServer();
  service = await startTestApp({
    environment: {
      OPENAI_BASE_URL: embeddings.url,
      SVC_EMBEDDING_MODEL: 'openai/counted',
      SVC_DEFAULT_MODEL: 'builtin/extractive',
      SVC_MODEL_PRICES: '{"openai/counted":{"input":1000,"output":0}}',
    },
  });
});
afterAll(async () => {
  await service.stop();
  await embeddings.close();
});
beforeEach(() => {
  embeddings.embedded.length = 0;
});

const knowledge = knowledgeOf(() => service);
const search = async (query: string, options: { key?: string; limit?: number; bot_id?: string } = {}) => {
  const { key, ...rest } = options;
  const answer = await service.call('POST /api/v1/knowledge/search', {
    body: { query, ...rest },
    ...(key !== undefined && { key }),
  });
  expect(answer.status).toBe(200);
  return answer.body as { knowledge_id: string; title: string; quote: string; score: number }[];
};
/** Only these sources count, because the test's vectors of unrelated texts are closer than real ones. */
const foundOf = async (query: string, among: string[], options: object = {}) =>
  (await search(query, { limit: 20, ...options }))
    .map((passage) => passage.knowledge_id)
    .filter((id) => among.includes(id));
const count = async (table: string, id: string) => {
  const { rows } = await service.database.acrossWorkspaces.execute<{ count: number }>(
    sql`select count(*)::int as count from ${sql.raw(table)} where knowledge_id = ${id}`,
  );
  return rows[0]?.count;
};
const longText = (paragraphs: number, word: string) =>
  Array.from(
    { length: paragraphs },
    (_, index) => `## Part ${index}\n\n${`The ${word} of part ${index} is as it should be. `.repeat(20)}`,
  ).join('\n\n');

const kinds: [name: string, make: () => Promise<string | Uint8Array>, question: string][] = [
  [
    'paper.pdf',
    () => pdf('The Zeppelin Paper', 'Zeppelins are filled with helium today.'),
    'helium zeppelins',
  ],
  ['letter.docx', () => docx('The Walrus Letter', 'A walrus sleeps on the ice.'), 'walrus ice'],
  [
    'page.html',
    async () => '<h1>The Quince Page</h1><p>Quinces are cooked with sugar.</p>',
    'cooked quinces',
  ],
  ['notes.md', async () => '# The Heron Notes\n\nHerons stand on one leg.', 'herons leg'],
  ['plain.txt', async () => 'Gannets dive from a great height.', 'gannets dive'],
];

describe('a file becomes passages that are found', () => {
  // extraction.test.ts reads files of every kind.
  it.each(sampleOf(kinds, 3))('%s', async (name, make, question) => {
    const id = await knowledge.addFile(name, await make());
    const source = await knowledge.completed(id);
    expect(source).toMatchObject({ title: name, source_filename: name, content_truncated: false });
    const [first] = await search(question);
    expect(first).toMatchObject({ knowledge_id: id, title: source.title });
    expect(source.content).toContain(first?.quote.slice(0, 20));
    expect(await count('knowledge_embeddings', id)).toBe(await count('knowledge_chunks', id));
  });

  it('and shows up to 50,000 characters of its text', async () => {
    const text = 'Long texts are cut off. '.repeat(3_000);
    const id = await knowledge.addFile('long.txt', text);
    const release = embeddings.hold();
    await eventually(async () => (await knowledge.read(id)).content_truncated).toBe(true);
    expect((await knowledge.read(id)).content).toHaveLength(50_000);
    release();
    await service.call(`DELETE /api/v1/knowledge/${id}?type=hard`);
  });
});

describe('an unreadable file fails with a reason', () => {
  it('for a broken document', async () => {
    const id = await knowledge.addFile('broken.pdf', '%PDF-1.7\nthis is where it ends');
    const source = await knowledge.settled(id);
    expect(source).toMatchObject({
      processing_status: 'failed',
      error: expect.stringMatching(/^[A-Z].*\.$/),
    });
  });

  it('for a document without text', async () => {
    const id = await knowledge.addFile('empty.html', '<html><body><img src="x"></body></html>');
    expect(await knowledge.settled(id)).toMatchObject({
      processing_status: 'failed',
      error: expect.any(String),
    });
  });
});

describe('progress', () => {
  it('is shown, and keywords find a source before its vectors exist', async () => {
    const release = embeddings.hold();
    const id = await knowledge.addText(longText(40, 'platypus'), { title: 'Platypus' });
    await eventually(async () => (await knowledge.read(id)).processing_progress).toBe(0.4);
    expect(await knowledge.read(id)).toMatchObject({ processing_status: 'processing' });
    expect(await count('knowledge_embeddings', id)).toBe(0);
    expect((await search('platypus', { limit: 1 }))[0]).toMatchObject({ knowledge_id: id });
    release();
    expect(await knowledge.completed(id)).toMatchObject({ processing_progress: 1 });
  });
});

describe('temporary failures', () => {
  it('are retried, without repeating finished work', async () => {
    // Some requests succeed, then the provider refuses more often than one attempt retries.
    embeddings.failWith(200, ...Array.from({ length: 5 }, () => 429));
    const id = await knowledge.addText(longText(40, 'pelican'));
    await knowledge.completed(id);
    const texts = embeddings.embedded.flat();
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).toHaveLength((await count('knowledge_chunks', id)) ?? 0);
  });
});

describe('refreshing', () => {
  it('does not embed unchanged text again', async () => {
    const id = await knowledge.addText(longText(5, 'heron'));
    await knowledge.completed(id);
    const asked = embeddings.asked();
    expect(await service.call(`POST /api/v1/knowledge/${id}/refresh`)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    await knowledge.completed(id);
    expect(embeddings.asked()).toBe(asked);
  });

  it('processes a failed source again', async () => {
    embeddings.failWith(400);
    const id = await knowledge.addText(longText(2, 'avocet'));
    expect(await knowledge.settled(id)).toMatchObject({
      processing_status: 'failed',
      error: expect.any(String),
    });
    await service.call(`POST /api/v1/knowledge/${id}/refresh`);
    await knowledge.completed(id);
  });
});

describe('deleting during ingestion', () => {
  it('permanently leaves nothing behind', async () => {
    const release = embeddings.hold();
    const id = await knowledge.addText(longText(30, 'ostrich'));
    await eventually(() => count('knowledge_chunks', id)).toBeGreaterThan(0);
    await service.call(`DELETE /api/v1/knowledge/${id}?type=hard`);
    release();
    for (const table of [
      'knowledge_chunks',
      'knowledge_embeddings',
      'knowledge_chunk_terms',
      'knowledge_files',
    ]) {
      expect.soft(await count(table, id), table).toBe(0);
    }
    expect(await foundOf('ostrich', [id])).toEqual([]);
  });

  it('softly stops it, and restoring resumes it', async () => {
    const release = embeddings.hold();
    const id = await knowledge.addText(longText(30, 'emu'));
    await eventually(() => count('knowledge_chunks', id)).toBeGreaterThan(0);
    await service.call(`DELETE /api/v1/knowledge/${id}`);
    release();
    expect(await foundOf('emu', [id])).toEqual([]);
    await service.call(`POST /api/v1/knowledge/${id}/restore`);
    await knowledge.completed(id);
    expect((await search('emu', { limit: 1 }))[0]).toMatchObject({ knowledge_id: id });
  });

  it('or refreshing: only the newer job writes', async () => {
    const release = embeddings.hold();
    const id = await knowledge.addText(longText(30, 'kiwi'));
    await eventually(() => count('knowledge_chunks', id)).toBeGreaterThan(0);
    await service.call(`POST /api/v1/knowledge/${id}/refresh`);
    release();
    await knowledge.completed(id);
    const { rows } = await service.database.acrossWorkspaces.execute<{ fence: number; revision: number }>(
      sql`select fence, revision from knowledge where id = ${id}`,
    );
    expect(rows).toEqual([{ fence: 2, revision: 2 }]);
    expect(await count('knowledge_embeddings', id)).toBe(await count('knowledge_chunks', id));
  });
});

it('hard deletion removes everything from tables and index', async () => {
  const id = await knowledge.addFile('gone.txt', 'The capybara likes warm water.');
  await knowledge.completed(id);
  const query = 'capybara warm water';
  expect((await search(query))[0]).toMatchObject({ knowledge_id: id });
  await service.call(`DELETE /api/v1/knowledge/${id}?type=hard`);
  expect(await foundOf(query, [id])).toEqual([]);
  const { rows } = await service.database.acrossWorkspaces.execute<{ name: string }>(
    sql`select table_name as name from information_schema.columns
        where column_name = 'knowledge_id' and table_schema = 'public'`,
  );
  expect(rows.length).toBeGreaterThan(3);
  for (const { name } of rows) expect.soft(await count(name, id), name).toBe(0);
});

it('soft deletion removes a source from every search immediately', async () => {
  const id = await knowledge.addText('The okapi has striped legs.');
  await knowledge.completed(id);
  const query = 'okapi striped legs';
  expect((await search(query))[0]).toMatchObject({ knowledge_id: id });
  await service.call(`DELETE /api/v1/knowledge/${id}`);
  expect(await foundOf(query, [id])).toEqual([]);
  await service.call(`POST /api/v1/knowledge/${id}/restore`);
  expect((await search(query))[0]).toMatchObject({ knowledge_id: id });
});

it('neither another workspace nor another bot finds a source', async () => {
  const other = await service.makeWorkspace();
  const bots = await Promise.all(
    ['One', 'Two'].map(async (name) => {
      const body = { name, system_prompt: 'x' };
      return (await service.call('POST /api/v1/bots', { body })).body.id as string;
    }),
  );
  const [one = '', two = ''] = bots;
  const ofOne = await knowledge.addText('The axolotl of bot one is pink.', { bot_id: one });
  const ofAll = await knowledge.addText('The axolotl of all bots is brown.');
  for (const id of [ofOne, ofAll]) await knowledge.completed(id);
  const found = async (options: object) => (await foundOf('axolotl', [ofOne, ofAll], options)).toSorted();
  expect(await found({})).toEqual([ofOne, ofAll].toSorted());
  expect(await found({ bot_id: one })).toEqual([ofOne, ofAll].toSorted());
  expect(await found({ bot_id: two })).toEqual([ofAll]);
  expect(await found({ key: other.key })).toEqual([]);
  const foreign = await service.call('POST /api/v1/knowledge/search', {
    key: other.key,
    body: { query: 'axolotl', bot_id: one },
  });
  expect(foreign).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

describe('money', () => {
  it('is charged for embedding; without a balance the source fails, and continues when there is one again', async () => {
    const { id: workspaceId, key } = await service.makeWorkspace();
    const user = knowledgeOf(() => service, key);
    const setCredit = (usd: string) =>
      service.database.acrossWorkspaces.execute(
        sql`update workspaces set credit_usd = ${usd} where id = ${workspaceId}`,
      );
    await setCredit('100');
    const first = await user.addText('Five words are embedded here.');
    await user.completed(first);
    const { rows } = await service.database.acrossWorkspaces.execute<{ model: string; cost: string }>(
      sql`select model, cost_usd as cost from usage_records where workspace_id = ${workspaceId}`,
    );
    expect(rows).toMatchObject([{ model: 'openai/counted', cost: expect.stringMatching(/^0\.00/) }]);
    await user.completed(await user.addText(longText(10, 'ibis')));
    // Enough for a few more words, but not for a whole text.
    const { rows: spent } = await service.database.acrossWorkspaces.execute<{ usd: string }>(
      sql`select settled_usd + 0.5 as usd from billing_accounts where workspace_id = ${workspaceId}`,
    );
    await setCredit(spent[0]?.usd ?? '');
    const second = await user.addText(longText(10, 'stork'));
    expect(await user.settled(second)).toMatchObject({
      processing_status: 'failed',
      error: "The workspace's balance is used up. Add credit, then refresh this source.",
    });
    await setCredit('100');
    await service.call(`POST /api/v1/knowledge/${second}/refresh`, { key });
    await user.completed(second);
    const { rows: accounts } = await service.database.acrossWorkspaces.execute(
      sql`select settled_usd = (select sum(cost_usd) from usage_records where workspace_id = ${workspaceId}) as whole,
            reserved_usd::float8 as reserved from billing_accounts where workspace_id = ${workspaceId}`,
    );
    expect(accounts).toEqual([{ whole: true, reserved: 0 }]);
  });
});
