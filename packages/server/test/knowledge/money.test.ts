import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { raw, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { knowledgeOf } from './user.ts';

const embedder = 'openai/text-embedding-3-small';
const query = 'When does the lighthouse open?';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  const environment = { ...scriptedEnvironment(scripted), SVC_EMBEDDING_MODEL: embedder };
  service = await startTestApp({ environment });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => scripted.reset());

const isEmbedding = ({ body }: ScriptedRequest) => 'input' in body;

/** A workspace with an embedded source. */
async function workspace() {
  const { id, key } = await service.makeWorkspace();
  const user = knowledgeOf(() => service, key);
  await user.completed(await user.addText('The lighthouse opens at nine in the morning.'));
  scripted.reset();
  return { id, key };
}

async function spentBy(workspaceId: string) {
  const { rows } = await service.database.acrossWorkspaces.execute<{
    model: string;
    turn: string | null;
    cost: string;
  }>(
    sql`select model, turn_id as turn, cost_usd as cost from usage_records
        where workspace_id = ${workspaceId} order by created_at, id`,
  );
  return rows;
}

describe('a search outside a turn', () => {
  it('is paid for', async () => {
    const { id, key } = await workspace();
    const before = await spentBy(id);
    const { body } = await service.call('POST /api/v1/knowledge/search', { key, body: { query } });
    expect(body[0].vector_score).toBeGreaterThan(0);
    expect((await spentBy(id)).slice(before.length)).toMatchObject([{ model: embedder, turn: null }]);
  });

  it('is paid for every time the provider was called', async () => {
    const { id, key } = await workspace();
    await service.database.acrossWorkspaces.execute(
      sql`update workspaces set credit_usd = 5 where id = ${id}`,
    );
    const before = await spentBy(id);
    scripted.enqueue([raw('no JSON')]);
    const { body } = await service.call('POST /api/v1/knowledge/search', { key, body: { query } });
    expect(body[0].vector_score).toBeGreaterThan(0);
    expect((await spentBy(id)).slice(before.length)).toMatchObject([
      { model: embedder },
      { model: embedder },
    ]);
    const { rows } = await service.database.acrossWorkspaces.execute<{ reserved: number }>(
      sql`select reserved_usd::float8 as reserved from billing_accounts where workspace_id = ${id}`,
    );
    expect(rows).toEqual([{ reserved: 0 }]);
  });

  it('uses keywords only when the balance is used up, and shows it', async () => {
    const { id, key } = await workspace();
    await service.database.acrossWorkspaces.execute(
      sql`update workspaces set credit_usd = 0 where id = ${id}`,
    );
    const before = await spentBy(id);
    const found = await service.call('POST /api/v1/knowledge/search', { key, body: { query } });
    expect(found.body).toMatchObject([{ quote: expect.stringContaining('lighthouse'), vector_score: 0 }]);
    const tool = { tool_type: 'knowledge_search', name: 'Look', description: 'x', configuration: {} };
    const made = await service.call('POST /api/v1/tools', { key, body: tool });
    const tested = await service.call(`POST /api/v1/tools/${made.body.id}/test`, {
      key,
      body: { parameters: { query } },
    });
    expect(tested.body.result.passages).toHaveLength(1);
    expect(scripted.requests.filter(isEmbedding)).toEqual([]);
    expect(await spentBy(id)).toEqual(before);
  });
});

describe('a search by the model', () => {
  it('counts in the cost and usage of the turn and in the statistics', async () => {
    const { id, key } = await workspace();
    const bot = { name: 'x', system_prompt: 'x' };
    const botId = (await service.call('POST /api/v1/bots', { key, body: bot })).body.id;
    await service.call('POST /api/v1/tools/assign', {
      key,
      body: { bot_id: botId, assignments: [{ tool_type: 'knowledge_search' }] },
    });
    await service.database.acrossWorkspaces.execute(
      sql`update workspaces set credit_usd = 5 where id = ${id}`,
    );
    const before = await spentBy(id);
    scripted.respondWith((request) => {
      if (isEmbedding(request)) return [];
      const isAnswered = askedBy(request).some(({ role }) => role === 'tool');
      return isAnswered ? [text('At nine.')] : [toolCall('knowledge_search', { query })];
    });
    const turn = await chat.say({ bot_id: botId, message: 'Hello there' }, { key });

    const spent = (await spentBy(id)).slice(before.length);
    expect(spent.map(({ model }) => model)).toEqual([embedder, 'openai/gpt-4o', embedder, 'openai/gpt-4o']);
    expect(new Set(spent.map((record) => record.turn))).toEqual(new Set([turn.turnId]));
    const total = spent.reduce((sum, { cost }) => sum + Number(cost), 0);
    expect(Number(turn.last.data.cost_usd)).toBeCloseTo(total, 9);
    const path = `GET /api/v1/chat/stats?conversation_id=${turn.conversationId}`;
    expect(Number((await service.call(path, { key })).body.cost_usd)).toBeCloseTo(total, 9);
    const { rows } = await service.database.acrossWorkspaces.execute<{ settled: string; reserved: string }>(
      sql`select settled_usd as settled, reserved_usd as reserved from billing_accounts where workspace_id = ${id}`,
    );
    const embedding = before.reduce((sum, { cost }) => sum + Number(cost), 0);
    expect(Number(rows[0]?.settled)).toBeCloseTo(embedding + total, 9);
    expect(Number(rows[0]?.reserved)).toBe(0);
  });
});
