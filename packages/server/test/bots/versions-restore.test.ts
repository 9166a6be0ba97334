import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { unusedProvider } from '../support/unused-provider.ts';
import { plainBot, versionsOf } from './versioned-bot.ts';

let service: TestApp;
let botId: string;
const { read, put, numbers, version, restore, makeTool, assign, tools } = versionsOf(
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

describe('restoring', () => {
  it('makes the whole configuration current as a new version, and leaves status and metadata', async () => {
    await assign([{ tool_type: 'calculator', tool_instructions: 'Round.' }, { tool_type: 'handoff' }]);
    await put({
      name: 'Guide',
      model: null,
      temperature: 0,
      bot_type: 'agent',
      schedule: '0 9 * * *',
      agent_goal: 'Greet.',
      max_iterations: 3,
      output_config: { format: 'json' },
      metadata: { team: 'x' },
    });
    await assign([]);
    await put({ status: 'inactive' });

    const answer = await restore(2);
    expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String), version: 5 } });
    const bot = await read();
    expect(bot).toMatchObject({
      name: 'Host',
      bot_type: 'chatbot',
      schedule: null,
      next_run_at: null,
      agent_goal: null,
      max_iterations: 25,
      output_config: null,
      status: 'inactive',
      metadata: { team: 'x' },
    });
    expect(JSON.parse(bot.settings)).toEqual({ model: 'openai/gpt-5-mini' });
    expect(await tools()).toEqual(['calculator', 'handoff']);
    expect(await version(5)).toMatchObject({
      restored_from: 2,
      configuration: (await version(2)).configuration,
    });

    await put({ status: 'active' });
    expect((await restore(3)).body.version).toBe(6);
    expect(await read()).toMatchObject({ name: 'Guide', next_run_at: expect.any(String) });
  });

  it('needs the ability to assign tools only where they change', async () => {
    const key = await service.makeKey({ abilities: ['bots:read', 'bots:write'] });
    await assign([{ tool_type: 'calculator', tool_instructions: 'Round.' }]);
    await put({ description: 'x' });
    await assign([{ tool_type: 'calculator' }]);
    await put({ description: 'y' });
    const before = [await read(), await numbers()];
    for (const number of [1, 2, 3])
      expect(await restore(number, { key })).toMatchObject({
        status: 403,
        body: {
          message: expect.stringContaining('tools:write'),
          details: [{ path: 'tools', ability: 'tools:write' }],
        },
      });
    expect([await read(), await numbers()]).toEqual(before);
    expect(await restore(4, { key })).toMatchObject({ status: 200, body: { version: 6 } });
    expect(await read()).toMatchObject({ description: 'x' });
    const both = await service.makeKey({ abilities: ['bots:write', 'tools:write'] });
    expect(await restore(1, { key: both })).toMatchObject({ status: 200 });
    expect(await tools()).toEqual([]);
  });

  it('creates no version when it changes nothing', async () => {
    await put({ description: 'x' });
    await put({ description: '' });
    expect((await restore(1)).body).toMatchObject({ version: 3 });
    expect(await numbers()).toEqual([3, 2, 1]);
  });

  it('acts once for an Idempotency-Key', async () => {
    await put({ description: 'x' });
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [await restore(1, { headers }), await restore(1, { headers })];
    expect(first.body).toEqual(second.body);
    expect(await numbers()).toEqual([3, 2, 1]);
  });

  it('is refused when tools are gone, says which, and changes nothing', async () => {
    const [kept, gone, alsoGone] = [await makeTool(), await makeTool(), await makeTool()];
    const mail = (id: string) => ({ tool_type: 'send_email', tool_configuration_id: id });
    await assign([mail(gone), mail(kept), mail(alsoGone)]);
    await put({ description: 'later' });
    for (const id of [gone, alsoGone]) await service.call(`DELETE /api/v1/tools/${id}`);
    const [bot, before] = [await read(), await numbers()];

    const answer = await restore(2);
    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'VERSION_UNUSABLE',
        details: [
          { path: 'tools.0.tool_configuration_id', message: expect.stringContaining(gone) },
          { path: 'tools.2.tool_configuration_id', message: expect.stringContaining(alsoGone) },
        ],
      },
    });
    expect(await read()).toEqual(bot);
    expect(await numbers()).toEqual(before);
    expect(await tools()).toEqual(['send_email']);
  });

  it('is refused when the configuration is no longer valid', async () => {
    await service.database.acrossWorkspaces.execute(
      sql`update bot_versions set configuration = jsonb_set(configuration::jsonb, '{settings,model}', '"gone/x"')
        where bot_id = ${botId} and number = 1`,
    );
    await put({ description: 'x' });
    expect(await restore(1)).toMatchObject({
      status: 409,
      body: { code: 'VERSION_UNUSABLE', details: [{ path: 'model' }] },
    });
    await service.database.acrossWorkspaces.execute(
      sql`update bot_versions set configuration = jsonb_set(configuration::jsonb, '{settings,surprise}', '1')
        where bot_id = ${botId} and number = 1`,
    );
    expect(await restore(1)).toMatchObject({
      status: 409,
      body: { code: 'VERSION_UNUSABLE', details: [{ path: 'settings.surprise' }] },
    });
    expect(await numbers()).toEqual([2, 1]);
  });

  it('is refused when the provider of its model has no key, unless the bot has that model anyway', async () => {
    const model = 'anthropic/claude-sonnet-5-5';
    const settings = JSON.stringify({ model });
    await service.database.acrossWorkspaces.execute(
      sql`update bot_versions set configuration = jsonb_set(configuration::jsonb, '{settings}', ${settings}::jsonb)
        where bot_id = ${botId} and number = 1`,
    );
    await put({ description: 'x' });
    expect(await restore(1)).toMatchObject({
      status: 409,
      body: {
        code: 'VERSION_UNUSABLE',
        details: [{ path: 'model', message: expect.stringContaining('ANTHROPIC_API_KEY') }],
      },
    });
    await service.database.acrossWorkspaces.execute(
      sql`update bots set settings = ${settings} where id = ${botId}`,
    );
    expect(await restore(1)).toMatchObject({ status: 200 });
  });

  it('is safe while tools are assigned and deleted concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const toolId = await makeTool();
      const entry = { tool_type: 'send_email', tool_configuration_id: toolId };
      await assign([entry]);
      const newest = Math.max(...(await numbers()));
      await assign([]);
      const body = { bot_id: botId, assignments: [entry, { tool_type: 'calculator' }] };
      const [restored, assigned, deleted] = await Promise.all([
        restore(newest),
        service.call('POST /api/v1/tools/assign', { body }),
        service.call(`DELETE /api/v1/tools/${toolId}`),
      ]);
      expect([200, 409]).toContain(restored.status);
      expect([200, 404]).toContain(assigned.status);
      expect(deleted.status).toBe(200);
      const last = await version(Math.max(...(await numbers())));
      const kept = last.configuration.tools.map(({ tool_type: type }: { tool_type: string }) => type);
      expect(kept).toEqual(await tools());
      expect(kept).not.toContain('send_email');
    }
  });
});
