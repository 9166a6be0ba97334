import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { unusedProvider } from '../support/unused-provider.ts';
import { plainBot, versionsOf } from './versioned-bot.ts';

let service: TestApp;
let botId: string;
const { list, read, put, numbers, version, makeTool, assign, tools } = versionsOf(
  () => service,
  () => botId,
);
beforeAll(async () => {
  service = await startTestApp({ environment: unusedProvider });
});
afterAll(() => service.stop());
beforeEach(async () => {
  botId = (await service.call('POST /api/v1/bots', { body: plainBot })).body.id;
});

describe('a version', () => {
  it('is kept of a new bot, with its configuration and author', async () => {
    const keys = await service.database.acrossWorkspaces.execute<{ id: string }>(
      sql`select id from account_keys`,
    );
    const answer = await list();
    expect(answer).toMatchObject({
      status: 200,
      body: [{ number: 1, changes: ['model', 'name', 'system_prompt'], restored_from: null }],
    });
    expect(keys.rows.map(({ id }) => id)).toContain(answer.body[0].created_by);
    expect(await version(1)).toEqual({
      ...answer.body[0],
      configuration: {
        name: 'Host',
        description: '',
        system_prompt: 'Be kind.',
        prompt_builder: null,
        settings: { model: 'openai/gpt-5-mini' },
        bot_type: 'chatbot',
        schedule: null,
        agent_goal: null,
        output_config: null,
        max_iterations: 25,
        timeout_seconds: null,
        tools: [],
      },
    });
  });

  it('is kept once of a bot that is created twice with one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const made = await service.call('POST /api/v1/bots', { body: plainBot, headers });
    await service.call('POST /api/v1/bots', { body: plainBot, headers });
    expect((await list('', made.body.id)).body).toHaveLength(1);
  });

  it('is kept of every change, with the names of what changed', async () => {
    await put({ system_prompt: 'Be brief.', temperature: 0.5 });
    await service.call(`PATCH /api/v1/bots/${botId}/model`, { body: { model: 'openai/gpt-4o' } });
    await assign([{ tool_type: 'calculator' }]);
    await put({ temperature: null, enable_agent_tracing: true, prompt_builder: { role: 'a host' } });
    expect((await list()).body.map((one: { changes: string[] }) => one.changes)).toEqual([
      ['enable_agent_tracing', 'prompt_builder', 'system_prompt', 'temperature'],
      ['tools'],
      ['model'],
      ['system_prompt', 'temperature'],
      ['model', 'name', 'system_prompt'],
    ]);
    expect(await version(5)).toMatchObject({
      configuration: {
        system_prompt: 'You are a host.',
        prompt_builder: { role: 'a host' },
        settings: { model: 'openai/gpt-4o', enable_agent_tracing: true },
        tools: [{ tool_type: 'calculator', tool_configuration_id: null, tool_instructions: '' }],
      },
    });
    expect((await version(2)).configuration).toMatchObject({
      system_prompt: 'Be brief.',
      settings: { temperature: 0.5, model: 'openai/gpt-5-mini' },
      tools: [],
    });
  });

  it('is not kept of a save that changes nothing, nor of status and metadata', async () => {
    await assign([{ tool_type: 'calculator' }]);
    expect(await numbers()).toEqual([2, 1]);
    await put(plainBot);
    await put(await read());
    await service.call(`PATCH /api/v1/bots/${botId}/model`, { body: { model: plainBot.model } });
    await assign([{ tool_type: 'calculator', tool_instructions: '' }]);
    await service.call(`PATCH /api/v1/bots/${botId}/metadata`, { body: { team: 'x' } });
    await put({ metadata: { team: 'y' }, status: 'inactive' });
    await put({ status: 'active' });
    await service.call(`DELETE /api/v1/bots/${botId}`);
    expect(await numbers()).toEqual([2, 1]);
  });

  it('is not kept of a save that is refused', async () => {
    for (const body of [{ model: 'nobody/x' }, { schedule: 'daily' }, { surprise: 1 }]) {
      const answer = await service.call(`PUT /api/v1/bots/${botId}`, { body });
      expect(answer.status).toBe(400);
    }
    expect(await numbers()).toEqual([1]);
  });

  it('holds the ids of tools, but none of their secrets', async () => {
    const toolId = await makeTool();
    await assign([
      { tool_type: 'send_email', tool_configuration_id: toolId, tool_error_handling_mode: 'hide' },
    ]);
    const kept = await version(2);
    expect(kept.configuration.tools).toMatchObject([
      { tool_type: 'send_email', tool_configuration_id: toolId, tool_error_handling_mode: 'hide' },
    ]);
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select configuration::text as text from bot_versions where configuration::text like '%planted-4711%'`,
    );
    expect(rows).toEqual([]);
  });

  it('is kept when a tool of the bot is deleted', async () => {
    const toolId = await makeTool();
    await assign([{ tool_type: 'send_email', tool_configuration_id: toolId }, { tool_type: 'calculator' }]);
    await service.call(`DELETE /api/v1/tools/${toolId}`);
    expect(await version(3)).toMatchObject({
      changes: ['tools'],
      configuration: { tools: [{ tool_type: 'calculator' }] },
    });
    expect(await tools()).toEqual(['calculator']);
  });

  it('has a unique number even when saves are concurrent', async () => {
    const saves = Array.from({ length: 12 }, (_, index) => index);
    await Promise.all(
      saves.map((index) =>
        index % 3 === 0
          ? assign([{ tool_type: 'calculator', tool_instructions: `rule ${index}` }])
          : put({ description: `description ${index}` }),
      ),
    );
    expect(await numbers()).toEqual(Array.from({ length: 13 }, (_, index) => 13 - index));
    const newest = await version(13);
    expect(newest.configuration.description).toBe((await read()).description);
    const assigned = (await service.call(`GET /api/v1/tools/bot?bot_id=${botId}`)).body;
    expect(newest.configuration.tools[0].tool_instructions).toBe(assigned[0].tool_instructions);
  });

  it('is listed page by page', async () => {
    for (let index = 0; index < 4; index += 1) await put({ description: `${index}` });
    const first = await list('?limit=2');
    expect(first.body.map((one: { number: number }) => one.number)).toEqual([5, 4]);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(next);
    expect(pathname).toBe(`/api/v1/bots/${botId}/versions`);
    const second = await list(search);
    expect(second.body.map((one: { number: number }) => one.number)).toEqual([3, 2]);
    const last = await list('?limit=2&before=2');
    expect(last.body.map((one: { number: number }) => one.number)).toEqual([1]);
    expect(last.headers.get('link')).toBeNull();
    for (const query of ['?limit=0', '?limit=501', '?before=0', '?before=x', '?after=1']) {
      expect((await list(query)).status, query).toBe(400);
    }
  });

  it('is not found under an unknown number, or from another workspace', async () => {
    const other = await service.makeWorkspace();
    const places = [`versions/2`, `versions/0`, `versions/x`, `versions/99999999999`];
    for (const place of places) {
      expect((await service.call(`GET /api/v1/bots/${botId}/${place}`)).status, place).toBe(404);
      expect((await service.call(`POST /api/v1/bots/${botId}/${place}/restore`)).status, place).toBe(404);
    }
    for (const operation of ['GET versions', 'GET versions/1', 'POST versions/1/restore']) {
      const [method, place] = operation.split(' ');
      const answer = await service.call(`${method} /api/v1/bots/${botId}/${place}`, { key: other.key });
      expect(answer.status, operation).toBe(404);
    }
    expect(await numbers()).toEqual([1]);
  });
});
