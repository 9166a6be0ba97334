import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { hang, status } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { openTestEngine, type TestEngine } from './engine.ts';
import { type KnowledgeRows, knowledgeIn } from './support.ts';

const before = 'openai/text-embedding-ada-002';
const after = 'openai/text-embedding-3-small';

describe('a change of the embedding model', () => {
  let opened: TestDatabase;
  let database: Database;
  let rows: KnowledgeRows;
  let scripted: ScriptedModel;
  const engines: TestEngine[] = [];

  beforeAll(async () => {
    opened = await createTestDatabase();
    database = opened.database;
    rows = knowledgeIn(database);
    scripted = await startScriptedModel();
  });
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.stop()));
    scripted.reset();
    await rows.rows('delete from workspaces');
  });
  afterAll(async () => {
    await scripted.close();
    await opened.drop();
  });

  async function open(model: string, lookAgainMs?: number): Promise<TestEngine> {
    const environment = {
      OPENAI_API_KEY: 'sk-canary',
      OPENAI_BASE_URL: scripted.url('openai'),
      SVC_EMBEDDING_MODEL: model,
    };
    const engine = await openTestEngine(database, environment, lookAgainMs ? { lookAgainMs } : {});
    engines.push(engine);
    return engine;
  }

  async function close(engine: TestEngine): Promise<void> {
    engines.splice(engines.indexOf(engine), 1);
    await engine.stop();
  }

  /** A workspace whose chunks have vectors from the first model. */
  async function makeWorkspace(chunks: number): Promise<string> {
    const engine = await open(before);
    const workspaceId = await rows.makeWorkspace();
    await rows.makeSource(
      workspaceId,
      Array.from({ length: chunks }, (_, place) => `Pump number ${place} hums.`),
    );
    await engine.embed(workspaceId);
    await close(engine);
    scripted.reset();
    return workspaceId;
  }

  async function models(workspaceId: string): Promise<Record<string, number>> {
    const counted = await rows.rows<{ model: string; count: number }>(
      'select model, count(*)::int as count from knowledge_embeddings where workspace_id = $1 group by model',
      [workspaceId],
    );
    return Object.fromEntries(counted.map(({ model, count }) => [model, count]));
  }

  const answering = async (workspaceId: string) =>
    (
      await rows.rows<{ model: string }>(
        'select embedding_model as model from knowledge_statistics where workspace_id = $1',
        [workspaceId],
      )
    )[0]?.model;

  const isDocument = ({ body }: ScriptedRequest) =>
    (body['input'] as string[]).some((text) => text.startsWith('Pump'));

  test('embeds everything again in the background, then deletes the old vectors', async () => {
    const workspaceId = await makeWorkspace(40);
    const engine = await open(after);
    await engine.start();
    await expect.poll(() => models(workspaceId)).toEqual({ [after]: 40 });
    expect(await answering(workspaceId)).toBe(after);
    expect((await engine.ask(workspaceId, 'pump hums'))[0]?.vector_score).toBeGreaterThan(0);
    expect(scripted.requests.filter(isDocument).map(({ body }) => body['model'])).toEqual(
      Array.from({ length: 3 }, () => 'text-embedding-3-small'),
    );
  });

  test('is charged to the workspace', async () => {
    const workspaceId = await makeWorkspace(3);
    const engine = await open(after);
    await engine.start();
    await expect.poll(() => models(workspaceId)).toEqual({ [after]: 3 });
    expect(
      await rows.rows(
        'select model, input_tokens, turn_id from usage_records where workspace_id = $1 order by created_at',
        [workspaceId],
      ),
    ).toEqual([
      { model: before, input_tokens: 12, turn_id: null },
      { model: after, input_tokens: 12, turn_id: null },
    ]);
  });

  test('searches use the old vectors until the last new one exists', async () => {
    const workspaceId = await makeWorkspace(40);
    let documents = 0;
    scripted.respondWith((request) => {
      if (!isDocument(request)) return [];
      documents += 1;
      return documents > 1 ? [hang] : [];
    });
    const engine = await open(after);
    await engine.start();
    await expect.poll(() => documents).toBe(2);
    expect(await models(workspaceId)).toEqual({ [before]: 40, [after]: 16 });
    const [best] = await engine.ask(workspaceId, 'number 3 pump hums');
    expect(best?.vector_score).toBeGreaterThan(0);
    expect(scripted.requests.at(-1)?.body['model']).toBe('text-embedding-ada-002');
    expect(await answering(workspaceId)).toBe(before);
  });

  test('is resumed at the next start after a stop, without embedding anything twice', async () => {
    const workspaceId = await makeWorkspace(40);
    let documents = 0;
    scripted.respondWith((request) => {
      documents += isDocument(request) ? 1 : 0;
      return documents > 1 ? [hang] : [];
    });
    const first = await open(after);
    await first.start();
    await expect.poll(() => documents).toBe(2);
    await close(first);
    scripted.reset();

    const second = await open(after);
    await second.start();
    await expect.poll(() => models(workspaceId)).toEqual({ [after]: 40 });
    const texts = scripted.requests.filter(isDocument).flatMap(({ body }) => body['input'] as string[]);
    expect(texts).toHaveLength(24);
  });

  test('retries a provider that fails for a while', async () => {
    const workspaceId = await makeWorkspace(2);
    scripted.enqueue([status(503)], [status(503)]);
    const engine = await open(after);
    await engine.start();
    await expect.poll(() => models(workspaceId)).toEqual({ [after]: 2 });
  });

  test('searches use the new vectors immediately if the old model is no longer available', async () => {
    const workspaceId = await makeWorkspace(2);
    const engine = await openTestEngine(database);
    engines.push(engine);
    await engine.start();
    await expect.poll(() => models(workspaceId)).toEqual({ 'builtin/sentence-encoder': 2 });
    expect(await answering(workspaceId)).toBe('builtin/sentence-encoder');
  });

  test('embeds chunks without vectors at the start', async () => {
    const workspaceId = await makeWorkspace(2);
    await rows.makeSource(workspaceId, ['Pump without a vector.']);
    const engine = await open(before);
    await engine.start();
    await expect.poll(() => models(workspaceId)).toEqual({ [before]: 3 });
  });

  test('is started again after it failed, without a restart', async () => {
    const engine = await open(after, 200);
    await engine.start();
    // The state that a permanently failed job leaves behind.
    const workspaceId = await makeWorkspace(3);
    await expect.poll(() => models(workspaceId)).toEqual({ [after]: 3 });
    expect(await answering(workspaceId)).toBe(after);
  });

  test('leaves a source in processing to its own job and does not wait for it', async () => {
    const workspaceId = await makeWorkspace(2);
    const processing = await rows.makeSource(workspaceId, ['Pump in the making.']);
    await rows.rows(`update knowledge set processing_status = 'processing' where id = $1`, [processing]);
    const engine = await open(after);
    await engine.start();
    await expect.poll(() => models(workspaceId)).toEqual({ [after]: 2 });
    expect(await answering(workspaceId)).toBe(after);
    expect(scripted.requests.flatMap(({ body }) => body['input'])).not.toContain('Pump in the making.');
    expect((await engine.ask(workspaceId, 'pump in the making'))[0]?.quote).toBe('Pump in the making.');
  });

  test('does not touch a workspace whose vectors are up to date', async () => {
    const workspaceId = await makeWorkspace(2);
    const engine = await open(before);
    await engine.start();
    expect(
      await rows.rows(`select from pgboss.job where data ->> 'workspaceId' = $1`, [workspaceId]),
    ).toEqual([]);
    expect(scripted.requests).toEqual([]);
  });
});
