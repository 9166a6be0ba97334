import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { unusedProvider } from '../support/unused-provider.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ environment: unusedProvider });
});
afterAll(() => service.stop());

const call: TestApp['call'] = (operation, options) => service.call(operation, options);

async function createBot(body: object = {}): Promise<string> {
  const answer = await call('POST /api/v1/bots', { body: { name: 'Bot', system_prompt: 'Help.', ...body } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const read = async (id: string) => (await call(`GET /api/v1/bots/${id}`)).body;

describe('creating and reading', () => {
  it('answers a create with the id alone and a read with the whole bot', async () => {
    const created = await call('POST /api/v1/bots', {
      body: { name: 'Support', system_prompt: 'Help people.' },
    });
    expect(created).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    expect(Object.keys(created.body)).toEqual(['id']);

    const bot = await read(created.body.id);
    expect(bot).toEqual({
      id: created.body.id,
      tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Support',
      description: '',
      system_prompt: 'Help people.',
      prompt_builder: null,
      settings: '{}',
      status: 'active',
      bot_type: 'chatbot',
      schedule: null,
      next_run_at: null,
      last_run_at: null,
      agent_goal: null,
      output_config: null,
      max_iterations: 25,
      timeout_seconds: null,
      metadata: {},
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
  });

  it('keeps every field that is accepted', async () => {
    const id = await createBot({
      description: 'Second line',
      bot_type: 'agent',
      agent_goal: 'Tidy up.',
      schedule: 'TZ=Europe/Berlin 30 7 * * 1',
      output_config: { format: 'json', schema: { type: 'object' }, webhook_url: 'https://example.com/done' },
      max_iterations: 7,
      timeout_seconds: 60,
      persistent_conversation: true,
      model: 'openai/gpt-5-mini',
      temperature: 0.3,
      chat_greeting: 'Hello!',
      voice_greeting: 'Good day.',
      end_call_enabled: true,
      call_transfer_enabled: false,
      call_transfer_number: '+15550100',
      outbound_calls_enabled: true,
      max_call_seconds: 600,
      enable_agent_tracing: true,
      enable_confidence_scoring: false,
      metadata: { team: 'ops' },
    });
    const bot = await read(id);
    expect(bot).toMatchObject({
      description: 'Second line',
      bot_type: 'agent',
      agent_goal: 'Tidy up.',
      schedule: 'TZ=Europe/Berlin 30 7 * * 1',
      output_config: { format: 'json', schema: { type: 'object' }, webhook_url: 'https://example.com/done' },
      max_iterations: 7,
      timeout_seconds: 60,
      metadata: { team: 'ops' },
    });
    expect(new Date(bot.next_run_at).getTime()).toBeGreaterThan(Date.now());
    expect(JSON.parse(bot.settings)).toEqual({
      model: 'openai/gpt-5-mini',
      temperature: 0.3,
      chat_greeting: 'Hello!',
      voice_greeting: 'Good day.',
      end_call_enabled: true,
      call_transfer_enabled: false,
      call_transfer_number: '+15550100',
      outbound_calls_enabled: true,
      max_call_seconds: 600,
      persistent_conversation: true,
      enable_agent_tracing: true,
    });
  });

  it('assembles the prompt from the builder, given as an object or as a string', async () => {
    const builder = { role: 'a host', instructions: ['Greet.'] };
    for (const prompt_builder of [builder, JSON.stringify(builder)]) {
      const bot = await read(await createBot({ system_prompt: undefined, prompt_builder }));
      expect(bot.system_prompt).toBe('You are a host.\n\n## Instructions\n- Greet.');
      expect(JSON.parse(bot.prompt_builder)).toEqual(builder);
    }
  });

  it('prefers the prompt over the builder', async () => {
    const bot = await read(await createBot({ system_prompt: 'Mine.', prompt_builder: { role: 'a host' } }));
    expect(bot.system_prompt).toBe('Mine.');
  });

  it.each([
    ['name', { system_prompt: 'x' }],
    ['system_prompt', { name: 'x' }],
    ['name', { name: 5, system_prompt: 'x' }],
    ['nme', { name: 'x', nme: 'y', system_prompt: 'x' }],
    ['temperature', { name: 'x', system_prompt: 'x', temperature: '0.5' }],
    ['model', { name: 'x', system_prompt: 'x', model: 'nobody/model' }],
    ['schedule', { name: 'x', system_prompt: 'x', schedule: 'every day' }],
    ['settings.modle', { name: 'x', system_prompt: 'x', settings: { modle: 'openai/x' } }],
    ['prompt_builder', { name: 'x', prompt_builder: '{' }],
    ['max_iterations', { name: 'x', system_prompt: 'x', max_iterations: 501 }],
    ['max_steps', { name: 'x', system_prompt: 'x', max_steps: 0 }],
    ['max_steps', { name: 'x', system_prompt: 'x', max_steps: 201 }],
    ['max_steps', { name: 'x', system_prompt: 'x', max_steps: 1.5 }],
    ['settings.max_steps', { name: 'x', system_prompt: 'x', settings: '{"max_steps":"5"}' }],
    ['model', { name: 'x', system_prompt: 'x', model: 'openai/../x' }],
    ['model', { name: 'x', system_prompt: 'x', settings: { model: 'openai/a/../../b' } }],
    ['model', { name: 'x', system_prompt: 'x', model: 'builtin/wizard' }],
    [
      'output_config.webhook_url',
      { name: 'x', system_prompt: 'x', output_config: { format: 'text', webhook_url: 'x' } },
    ],
    ['system_prompt', { name: 'x', system_prompt: 'a\u0000b' }],
  ])('refuses a bad %s and names it', async (path, body) => {
    const before = (await call('GET /api/v1/bots')).body.length;
    const answer = await call('POST /api/v1/bots', { body });
    expect(answer).toMatchObject({ status: 400, body: { success: false, code: 'VALIDATION_FAILED' } });
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect((await call('GET /api/v1/bots')).body).toHaveLength(before);
  });

  it('names everything that is wrong with a body at once', async () => {
    const wrong = {
      bot_type: 'agent',
      schedule: '0 25 * * *',
      model: 'nobody/x',
      call_transfer_number: 'abc',
      output_config: { format: 'json', webhook_url: 'https://127.0.0.1/', schema: { type: 'thing' } },
    };
    const paths = [
      'schedule',
      'agent_goal',
      'output_config.schema.type',
      'model',
      'call_transfer_number',
      'output_config.webhook_url',
    ];
    const found = async (operation: string, body: object) => {
      const answer = await call(operation, { body });
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
      const [first] = answer.body.details;
      expect(answer.body.message).toBe(`${first.path} ${first.message}`);
      return answer.body.details.map((detail: { path: string }) => detail.path);
    };
    expect(await found('POST /api/v1/bots', { name: 'x', ...wrong })).toEqual([
      ...paths.slice(0, 2),
      'system_prompt',
      ...paths.slice(2),
    ]);
    const id = await createBot();
    expect(await found(`PUT /api/v1/bots/${id}`, wrong)).toEqual(paths);
    expect(await found(`PUT /api/v1/bots/${id}`, { ...wrong, prompt_builder: {} })).toEqual([
      'prompt_builder',
      ...paths,
    ]);
    expect(await read(id)).toMatchObject({ bot_type: 'chatbot', settings: '{}' });
  });
});

describe('changing', () => {
  it('changes only what is sent and answers with a message only', async () => {
    const id = await createBot({ description: 'a', temperature: 0.5 });
    const answer = await call(`PUT /api/v1/bots/${id}`, { body: { name: 'New' } });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['message']);
    expect(await read(id)).toMatchObject({ name: 'New', description: 'a', settings: '{"temperature":0.5}' });
  });

  it('clears a nullable field with null', async () => {
    const id = await createBot({ agent_goal: 'x', temperature: 1, timeout_seconds: 5 });
    await call(`PUT /api/v1/bots/${id}`, {
      body: { agent_goal: null, temperature: null, timeout_seconds: null },
    });
    expect(await read(id)).toMatchObject({ agent_goal: null, settings: '{}', timeout_seconds: null });
  });

  it('takes back exactly what a read returned', async () => {
    const id = await createBot({
      prompt_builder: { role: 'x' },
      enable_agent_tracing: true,
      model: 'openai/a',
      output_config: { format: 'text' },
      metadata: { a: 'b' },
    });
    const { updated_at: _before, ...bot } = await read(id);
    expect((await call(`PUT /api/v1/bots/${id}`, { body: { ...bot, updated_at: 'x' } })).status).toBe(200);
    const { updated_at: _after, ...again } = await read(id);
    expect(again).toEqual(bot);
  });

  it('ignores read-only fields', async () => {
    const id = await createBot();
    const other = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90';
    await call(`PUT /api/v1/bots/${id}`, {
      body: { id: other, tenant_id: other, created_at: '2000-01-01T00:00:00Z' },
    });
    const bot = await read(id);
    expect(bot.id).toBe(id);
    expect(bot.tenant_id).not.toBe(other);
    expect(bot.created_at).not.toMatch(/^2000/);
  });

  it('clears quality flags that are not sent again', async () => {
    const id = await createBot({ enable_agent_tracing: true, enable_response_validation: true });
    await call(`PUT /api/v1/bots/${id}`, { body: { enable_response_validation: true } });
    expect(JSON.parse((await read(id)).settings)).toEqual({ enable_response_validation: true });
    await call(`PUT /api/v1/bots/${id}`, { body: { name: 'x' } });
    expect(JSON.parse((await read(id)).settings)).toEqual({});
  });

  it('counts quality flags inside settings as sent', async () => {
    const id = await createBot({ enable_agent_tracing: true });
    await call(`PUT /api/v1/bots/${id}`, {
      body: { settings: '{"enable_agent_tracing":true,"temperature":1}' },
    });
    expect(JSON.parse((await read(id)).settings)).toEqual({ enable_agent_tracing: true, temperature: 1 });
  });

  it('takes the step limit as a field or within settings, shows it there, and clears it with null', async () => {
    const id = await createBot({ max_steps: 200 });
    expect(JSON.parse((await read(id)).settings)).toEqual({ max_steps: 200 });
    for (const [body, expected] of [
      [{ settings: { max_steps: 1 } }, { max_steps: 1 }],
      [
        { settings: '{"max_steps":7}', temperature: 1 },
        { max_steps: 7, temperature: 1 },
      ],
      [{ max_steps: null }, { temperature: 1 }],
    ]) {
      expect((await call(`PUT /api/v1/bots/${id}`, { body })).status).toBe(200);
      expect(JSON.parse((await read(id)).settings)).toEqual(expected);
    }
    const versions = (await call(`GET /api/v1/bots/${id}/versions`)).body;
    expect(versions[0]).toMatchObject({ number: 4, changes: ['max_steps'] });
  });

  it('refuses a model whose provider is not configured wherever it is written, and names what to set', async () => {
    const id = await createBot();
    const model = 'anthropic/claude-sonnet-5-5';
    const told = expect.stringMatching(/anthropic.*ANTHROPIC_API_KEY/);
    for (const answer of [
      await call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x', model } }),
      await call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x', settings: { model } } }),
      await call(`PUT /api/v1/bots/${id}`, { body: { model } }),
      await call(`PUT /api/v1/bots/${id}`, { body: { settings: JSON.stringify({ model }) } }),
      await call(`PATCH /api/v1/bots/${id}/model`, { body: { model } }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'model', message: told }] } });
    }
    const path = await call(`PATCH /api/v1/bots/${id}/model`, { body: { model: 'openai/../x' } });
    expect(path).toMatchObject({ status: 400, body: { details: [{ path: 'model' }] } });
    expect((await read(id)).settings).toBe('{}');
  });

  it('takes numbers for transfers as people write them, and keeps one that was stored before', async () => {
    const id = await createBot({ call_transfer_number: '+49 (30) 999-123' });
    expect((await call(`PUT /api/v1/bots/${id}`, { body: { call_transfer_number: '201' } })).status).toBe(
      200,
    );
    const settings = { call_transfer_number: 'abc' };
    await service.database.acrossWorkspaces.execute(
      sql`update bots set settings = ${JSON.stringify(settings)} where id = ${id}`,
    );
    for (const body of [{ name: 'Renamed' }, settings, { settings }])
      expect((await call(`PUT /api/v1/bots/${id}`, { body })).status).toBe(200);
    expect(JSON.parse((await read(id)).settings)).toEqual(settings);
    const answer = await call(`PUT /api/v1/bots/${id}`, { body: { call_transfer_number: 'abcd' } });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'call_transfer_number' }] } });
    expect((await call(`PUT /api/v1/bots/${id}`, { body: { call_transfer_number: null } })).status).toBe(200);
  });

  it('still reads and changes a bot whose provider lost its key, as long as the model stays', async () => {
    const id = await createBot();
    const model = 'anthropic/claude-sonnet-5-5';
    await service.database.acrossWorkspaces.execute(
      sql`update bots set settings = ${JSON.stringify({ model })} where id = ${id}`,
    );
    const bot = await read(id);
    expect(JSON.parse(bot.settings)).toEqual({ model });
    for (const body of [
      { name: 'Renamed' },
      { model, temperature: 1 },
      { ...bot, description: 'Written back' },
    ])
      expect((await call(`PUT /api/v1/bots/${id}`, { body })).status).toBe(200);
    expect((await call(`PUT /api/v1/bots/${id}`, { body: { model: 'anthropic/other' } })).status).toBe(400);
    expect((await call(`PUT /api/v1/bots/${id}`, { body: { model: null } })).status).toBe(200);
    expect((await call(`PUT /api/v1/bots/${id}`, { body: { model } })).status).toBe(400);
  });

  it('switches the model and leaves the rest', async () => {
    const id = await createBot({ enable_agent_tracing: true, temperature: 1 });
    expect((await call(`PATCH /api/v1/bots/${id}/model`, { body: { model: 'openai/gpt-4.1' } })).status).toBe(
      200,
    );
    expect(JSON.parse((await read(id)).settings)).toEqual({
      enable_agent_tracing: true,
      temperature: 1,
      model: 'openai/gpt-4.1',
    });
    const wrong = await call(`PATCH /api/v1/bots/${id}/model`, { body: { model: 'nobody/x' } });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'model' }] } });
  });

  it('deletes softly and can be undone', async () => {
    const id = await createBot({ bot_type: 'agent', agent_goal: 'Count.', schedule: '0 * * * *' });
    expect((await call(`DELETE /api/v1/bots/${id}`)).body).toEqual({ message: expect.any(String) });
    expect(await read(id)).toMatchObject({ status: 'inactive', next_run_at: null });
    expect((await call('GET /api/v1/bots')).body.map((bot: { id: string }) => bot.id)).toContain(id);
    await call(`PUT /api/v1/bots/${id}`, { body: { status: 'active' } });
    expect(await read(id)).toMatchObject({ status: 'active', next_run_at: expect.any(String) });
  });
});
