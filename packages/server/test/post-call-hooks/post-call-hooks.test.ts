import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let hooks: string;
let tool: string;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

async function insertTool(workspaceId?: string, configuration: object = {}): Promise<string> {
  const id = randomUUID();
  const owner = workspaceId ? sql`${workspaceId}::uuid` : sql`(select id from workspaces where is_default)`;
  await service.database.acrossWorkspaces.execute(
    sql`insert into tools (id, workspace_id, tool_type, name, configuration)
      values (${id}, ${owner}, 'http_request', 'Note taker', ${JSON.stringify(configuration)})`,
  );
  return id;
}

beforeEach(async () => {
  const bot = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  hooks = `/api/v1/bots/${bot.body.id}/post-call-hooks`;
  tool = await insertTool();
});

const create = (body: object) => service.call(`POST ${hooks}`, { body });

it('starts empty', async () => {
  expect((await service.call(`GET ${hooks}`)).body).toEqual([]);
});

it('creates, lists in order of execution, changes and removes', async () => {
  const second = await create({
    tool_configuration_id: tool,
    run_order: 2,
    params_template: { note: '{{summary}}' },
  });
  const first = await create({ tool_configuration_id: await insertTool(), run_order: 1, enabled: false });
  expect(second).toMatchObject({ status: 201, body: { id: expect.any(String) } });

  const list = (await service.call(`GET ${hooks}`)).body;
  expect(list.map((hook: { id: string }) => hook.id)).toEqual([first.body.id, second.body.id]);
  expect(list[1]).toEqual({
    id: second.body.id,
    bot_id: hooks.split('/')[4],
    tool_configuration_id: tool,
    tool_type: 'http_request',
    tool_name: 'Note taker',
    run_order: 2,
    enabled: true,
    suspended: null,
    params_template: { note: '{{summary}}' },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });

  const path = `${hooks}/${second.body.id}`;
  expect((await service.call(`PUT ${path}`, { body: { ...list[1], run_order: 0 } })).body).toEqual({
    message: expect.any(String),
  });
  expect((await service.call(`GET ${hooks}`)).body[0]).toMatchObject({ id: second.body.id, run_order: 0 });

  expect((await service.call(`DELETE ${path}`)).status).toBe(200);
  expect((await service.call(`DELETE ${path}`)).status).toBe(404);
  expect((await service.call(`GET ${hooks}`)).body).toHaveLength(1);
});

it('allows one hook per tool, even if two are created at the same time', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => create({ tool_configuration_id: tool })));
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  expect(answers.find((answer) => answer.status === 409)?.body.code).toBe('HOOK_EXISTS');

  const other = await create({ tool_configuration_id: await insertTool() });
  const moved = await service.call(`PUT ${hooks}/${other.body.id}`, {
    body: { tool_configuration_id: tool },
  });
  expect(moved).toMatchObject({ status: 409, body: { code: 'HOOK_EXISTS' } });
});

it('accepts only tools of its own workspace', async () => {
  const { id } = await service.makeWorkspace();
  for (const tool_configuration_id of [randomUUID(), await insertTool(id)]) {
    expect(await create({ tool_configuration_id })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  }
});

it('finds a hook only under its own bot', async () => {
  const { body } = await create({ tool_configuration_id: tool });
  const other = await service.call('POST /api/v1/bots', { body: { name: 'y', system_prompt: 'y' } });
  const wrong = `/api/v1/bots/${other.body.id}/post-call-hooks/${body.id}`;
  expect((await service.call(`PUT ${wrong}`, { body: { enabled: false } })).status).toBe(404);
  expect((await service.call(`DELETE ${wrong}`)).status).toBe(404);
});

it('refuses a placeholder that is never filled in, and names its place', async () => {
  const params_template = { notes: ['{{summary}}', { text: 'From {{call.number}}' }] };
  const refused = {
    status: 400,
    body: {
      code: 'VALIDATION_FAILED',
      details: [
        {
          path: 'params_template.notes.1.text',
          message: expect.stringContaining('contains {{call.number}}'),
        },
      ],
    },
  };
  expect(await create({ tool_configuration_id: tool, params_template })).toMatchObject(refused);
  const { body } = await create({ tool_configuration_id: tool });
  expect(await service.call(`PUT ${hooks}/${body.id}`, { body: { params_template } })).toMatchObject(refused);
});

it('refuses a template that is nested too deeply, or that lets the call choose the function', async () => {
  let deep: unknown = '{{summary}}';
  for (let level = 0; level < 40; level += 1) deep = [deep];
  for (const params_template of [{ deep }, { $function: 3 }]) {
    expect(await create({ tool_configuration_id: tool, params_template })).toMatchObject({ status: 400 });
  }
});

it('leaves tools whose calls need approval to those who may approve', async () => {
  const asking = await insertTool(undefined, { approval: 'always' });
  const key = await service.makeKey({ abilities: ['bots:read', 'bots:write'] });
  const refused = { status: 403, body: { details: [{ ability: 'approvals:write' }] } };
  const body = { tool_configuration_id: asking };
  expect(await service.call(`POST ${hooks}`, { key, body })).toMatchObject(refused);
  const { id } = (await create(body)).body;
  const change = (fields: object) => service.call(`PUT ${hooks}/${id}`, { key, body: fields });
  expect(await change({ params_template: { note: '{{transcript}}' } })).toMatchObject(refused);
  // Moving or disabling it decides nothing about its calls; enabling it does.
  expect(await change({ run_order: 5 })).toMatchObject({ status: 200 });
  expect(await change({ enabled: false })).toMatchObject({ status: 200 });
  expect(await change({ enabled: true })).toMatchObject(refused);
  expect(await change({ tool_configuration_id: tool, enabled: true })).toMatchObject({ status: 200 });
  expect(await change({ tool_configuration_id: asking })).toMatchObject(refused);
});

it('allows 50 enabled hooks per bot', async () => {
  const botId = hooks.split('/')[4];
  await service.database.acrossWorkspaces.execute(sql`
    with made as (
      insert into tools (id, workspace_id, tool_type, name)
      select gen_random_uuid(), workspace_id, 'http_request', 'x' from bots, generate_series(1, 49)
      where id = ${botId} returning id, workspace_id
    )
    insert into post_call_hooks (id, workspace_id, bot_id, tool_configuration_id)
    select gen_random_uuid(), workspace_id, ${botId}, id from made`);
  const others = await Promise.all(Array.from({ length: 3 }, () => insertTool()));
  const answers = await Promise.all(others.map((one) => create({ tool_configuration_id: one })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  const refused = {
    status: 400,
    body: { code: 'VALIDATION_FAILED', details: [{ path: 'enabled', most: 50 }] },
  };
  expect(answers.find(({ status }) => status === 400)).toMatchObject(refused);
  const disabled = await create({ tool_configuration_id: tool, enabled: false });
  expect(disabled).toMatchObject({ status: 201 });
  const enable = () => service.call(`PUT ${hooks}/${disabled.body.id}`, { body: { enabled: true } });
  expect(await enable()).toMatchObject(refused);
  const first = answers.find(({ status }) => status === 201)?.body.id;
  expect((await service.call(`DELETE ${hooks}/${first}`)).status).toBe(200);
  expect(await enable()).toMatchObject({ status: 200 });
});
