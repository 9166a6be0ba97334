import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { hang, status } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { openTestEngine, type TestEngine } from './engine.ts';
import { type KnowledgeRows, knowledgeIn } from './support.ts';

const refunds = 'We refund purchases within 30 days of delivery if the item is unused.';
const office = 'The headquarters stand in Lisbon, near the river.';
const pump = 'Error E-4711 means that the pump has run dry.';

describe('retrieval', () => {
  let opened: TestDatabase;
  let database: Database;
  let rows: KnowledgeRows;

  beforeAll(async () => {
    opened = await createTestDatabase();
    database = opened.database;
    rows = knowledgeIn(database);
  });
  afterAll(() => opened.drop());

  describe('with the built-in embeddings', () => {
    let engine: TestEngine;
    beforeAll(async () => {
      engine = await openTestEngine(database);
    });
    afterAll(() => engine.stop());

    async function makeWorkspace(...passages: string[]): Promise<string> {
      const workspaceId = await rows.makeWorkspace();
      await rows.makeSource(workspaceId, passages, { title: 'Handbook', sourceUrl: 'https://example.com/' });
      await engine.embed(workspaceId);
      return workspaceId;
    }

    test('finds paraphrases and explains both scores', async () => {
      const workspaceId = await makeWorkspace(refunds, office, pump);
      const [best] = await engine.ask(workspaceId, 'Can I get my money back?');
      expect(best).toMatchObject({
        title: 'Handbook',
        source_url: 'https://example.com/',
        quote: refunds,
        heading_path: [],
        keyword_score: 0,
      });
      expect(best?.vector_score).toBeGreaterThan(0.3);
    });

    test('finds names and numbers', async () => {
      const workspaceId = await makeWorkspace(refunds, office, pump);
      const [best] = await engine.ask(workspaceId, 'e4711');
      expect(best?.quote).toBe(pump);
      expect(best?.keyword_score).toBeGreaterThan(0.3);
    });

    test('finds nothing if nothing matches, rather than the least bad match', async () => {
      const workspaceId = await makeWorkspace(refunds, office, pump);
      for (const nonsense of ['asdf qwer zxcv', 'How do I tune a guitar?', '…', 'the of and']) {
        expect(await engine.ask(workspaceId, nonsense)).toEqual([]);
      }
    });

    test('returns duplicate passages once', async () => {
      const workspaceId = await makeWorkspace(refunds, refunds.toUpperCase(), office);
      const found = await engine.ask(workspaceId, 'refund of purchases');
      expect(found).toHaveLength(1);
    });

    test('the same text under another heading is not a duplicate', async () => {
      const price = 'It costs nine crowns.';
      const workspaceId = await rows.makeWorkspace();
      for (const plan of ['Nebula plan', 'Comet plan']) {
        const id = await rows.makeSource(workspaceId, [price]);
        await rows.rows('update knowledge_chunks set heading_path = $2 where knowledge_id = $1', [
          id,
          [plan],
        ]);
      }
      await engine.embed(workspaceId);
      const found = await engine.ask(workspaceId, 'What does it cost, in crowns?');
      expect(found.map((passage) => passage.heading_path[0]).toSorted()).toEqual([
        'Comet plan',
        'Nebula plan',
      ]);
    });

    test('finds a source by keywords before its vectors exist', async () => {
      const workspaceId = await makeWorkspace(office);
      await rows.makeSource(workspaceId, [pump]);
      expect((await engine.ask(workspaceId, 'pump run dry'))[0]?.quote).toBe(pump);
    });

    test('ranks such a source above those that are only close, while its vectors are computed', async () => {
      const workspaceId = await makeWorkspace(office, 'A pump may hum or leak when it is old.');
      await rows.makeSource(workspaceId, ['The valve of the pump closes at seven bar.']);
      const [best] = await engine.ask(workspaceId, 'At how many bar does the valve close?');
      expect(best).toMatchObject({ quote: 'The valve of the pump closes at seven bar.', vector_score: 0 });
      expect(best?.score).toBe(best?.keyword_score);
    });

    test('finds a long passage by its end', async () => {
      const museum = 'The museum opens at nine in the morning and closes at six in the evening, every day. ';
      const penguins =
        'Penguins live in the cold south and eat krill, squid and small fish that they catch in the sea. ';
      const long = `${museum.repeat(7)}${penguins.repeat(4)}`;
      const workspaceId = await makeWorkspace(long, office);
      const [best] = await engine.ask(workspaceId, 'What food do penguin birds like?');
      expect(best?.quote).toBe(long);
      expect(best?.vector_score).toBeGreaterThan(0.4);
    });

    test('searches neither another workspace nor another bot', async () => {
      const other = await makeWorkspace(refunds);
      const own = await rows.makeWorkspace();
      const [bot, otherBot] = [await rows.makeBot(own), await rows.makeBot(own)];
      await rows.makeSource(own, [refunds], { botId: otherBot });
      await rows.makeSource(own, [office], { botId: bot });
      await engine.embed(own);
      expect(await engine.ask(own, 'refund of purchases', bot)).toEqual([]);
      expect(await engine.ask(own, 'refund of purchases', otherBot)).toHaveLength(1);
      expect(await engine.ask(own, 'refund of purchases')).toHaveLength(1);
      expect(await engine.ask(other, 'headquarters in Lisbon')).toEqual([]);
    });

    test('respects its limits', async () => {
      const workspaceId = await makeWorkspace(
        'The red pump hums.',
        'A green pump leaks water.',
        'Our pump needs oil.',
      );
      expect(await engine.ask(workspaceId, 'pump', undefined, 2)).toHaveLength(2);
    });
  });

  describe('with a provider', () => {
    let scripted: ScriptedModel;
    let engine: TestEngine;
    let workspaceId: string;

    beforeAll(async () => {
      scripted = await startScriptedModel();
    });
    afterAll(() => scripted.close());
    beforeEach(async () => {
      scripted.reset();
      engine = await openTestEngine(database, {
        OPENAI_API_KEY: 'sk-canary',
        OPENAI_BASE_URL: scripted.url('openai'),
        SVC_EMBEDDING_MODEL: 'openai/text-embedding-3-small',
      });
      workspaceId = await rows.makeWorkspace();
      await rows.makeSource(workspaceId, [refunds, office, pump]);
      await engine.embed(workspaceId);
    });
    afterEach(() => engine.stop());

    test('reports the cost of the question', async () => {
      const question = { workspaceId, query: 'purchases refund delivery', limit: 3 };
      const { passages, usage } = await engine.retrieval.search(question, new AbortController().signal);
      expect(passages[0]?.quote).toBe(refunds);
      expect(usage).toEqual({
        model: 'openai/text-embedding-3-small',
        inputTokens: 3,
        isPaid: true,
      });
      const { rows: recorded } = await database.acrossWorkspaces.execute<{ cost: string }>(
        sql`select cost_usd as cost from usage_records where workspace_id = ${workspaceId} order by id desc limit 1`,
      );
      expect(recorded).toEqual([{ cost: '0.000000060' }]);
    });

    test('falls back to keywords when the provider fails, and logs it', async () => {
      scripted.respondWith([status(500)]);
      const question = { workspaceId, query: 'pump run dry', limit: 3 };
      const { passages, usage } = await engine.retrieval.search(question, new AbortController().signal);
      expect(passages.map(({ quote }) => quote)).toEqual([pump]);
      expect(passages[0]).toMatchObject({ vector_score: 0 });
      expect(usage).toBeUndefined();
      expect(engine.logged.join()).toContain('searched by keywords only');
    });

    test('an aborted search returns no results', async () => {
      scripted.respondWith([hang]);
      const controller = new AbortController();
      const search = engine.retrieval.search({ workspaceId, query: 'pump', limit: 3 }, controller.signal);
      controller.abort(new Error('enough'));
      await expect(search).rejects.toThrow('enough');
    });

    test('a question of unknown price is not embedded if the workspace has a balance', async () => {
      const unpriced = await openTestEngine(database, {
        OPENAI_API_KEY: 'sk-canary',
        OPENAI_BASE_URL: scripted.url('openai'),
        SVC_EMBEDDING_MODEL: 'openai/somebodys-own',
      });
      const limited = await rows.makeWorkspace();
      await rows.makeSource(limited, [pump]);
      await unpriced.embed(limited);
      expect((await unpriced.ask(limited, 'pump run dry'))[0]?.vector_score).toBeGreaterThan(0);
      await rows.rows('update workspaces set credit_usd = 5 where id = $1', [limited]);
      scripted.reset();
      expect(await unpriced.ask(limited, 'pump run dry')).toMatchObject([{ quote: pump, vector_score: 0 }]);
      expect(scripted.requests).toEqual([]);
      expect(unpriced.logged.join()).toContain('price of openai/somebodys-own is not known');
      await unpriced.stop();
    });

    test('a workspace without vectors sends no request to the provider', async () => {
      const empty = await rows.makeWorkspace();
      scripted.reset();
      expect(await engine.ask(empty, 'pump')).toEqual([]);
      expect(scripted.requests).toEqual([]);
    });
  });
});
