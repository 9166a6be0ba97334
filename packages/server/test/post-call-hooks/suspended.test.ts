import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../support/faults/until.ts';
import { openPostCallStage, type PostCallStage } from '../voice/post-call-stage.ts';

let stage: PostCallStage;
let workspace: { id: string; key: string };
/** May change tools and bots, but not answer approvals. */
let builder: string;
let hooks: string;
let botId: string;

beforeAll(async () => {
  stage = await openPostCallStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  stage.received.length = 0;
  workspace = await stage.service.makeWorkspace();
  builder = await stage.service.makeKey({
    workspaceId: workspace.id,
    abilities: ['bots:read', 'bots:write', 'tools:read', 'tools:write'],
  });
  botId = (await call('POST /api/v1/bots', { name: 'x', system_prompt: 'x' })).body.id;
  hooks = `/api/v1/bots/${botId}/post-call-hooks`;
});

const call = (operation: string, body?: unknown, key = workspace.key) =>
  stage.service.call(operation, { key, ...(body !== undefined && { body }) });

const request = (fields: object = {}) => ({
  method: 'POST',
  url: `${stage.outside.url}/note`,
  body: { note: '{{note}}' },
  parameters: { type: 'object', properties: { note: { type: 'string' } } },
  ...fields,
});

async function makeTool(configuration: object): Promise<string> {
  const body = { tool_type: 'http_request', name: 'note', description: 'x', configuration };
  const answer = await call('POST /api/v1/tools', body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.id;
}

const makeHook = (tool: string, key = workspace.key) =>
  call(`POST ${hooks}`, { tool_configuration_id: tool, params_template: { note: 'x' } }, key);

const listed = async () => (await call(`GET ${hooks}`)).body[0];

/** What became of the hook after a call. */
async function afterCall(): Promise<{ status: string; error: string | null }> {
  const id = await stage.calls.end({ workspaceId: workspace.id, botId, said: [] });
  let hook: { status: string; error: string | null; ended_at: string | null } | undefined;
  await until('the hook has ended', async () => {
    hook = (await call(`GET /api/v1/conversations/${id}`)).body.call.hooks[0];
    return typeof hook?.ended_at === 'string';
  });
  return hook as { status: string; error: string | null };
}

const suspended = expect.stringContaining('somebody who may answer approvals confirms it');
const forbidden = { status: 403, body: { details: [{ ability: 'approvals:write' }] } };

it('a hook whose tool asks since it was made does not run until somebody who may approve confirms it', async () => {
  const tool = await makeTool(request({ approval: 'never' }));
  const { id } = (await makeHook(tool)).body;
  expect(await listed()).toMatchObject({ enabled: true, suspended: null });
  expect(await afterCall()).toMatchObject({ status: 'ok' });

  const tightened = { configuration: request({ approval: 'always' }) };
  expect(await call(`PUT /api/v1/tools/${tool}`, tightened, builder)).toMatchObject({ status: 200 });
  expect(await listed()).toMatchObject({ enabled: true, suspended });
  expect(await afterCall()).toMatchObject({ status: 'error', error: suspended });
  expect(stage.received).toHaveLength(1);

  const confirm = (key?: string) => call(`PUT ${hooks}/${id}`, { confirm: true }, key);
  expect(await confirm(builder)).toMatchObject(forbidden);
  expect(await call(`PUT ${hooks}/${id}`, { run_order: 3 }, builder)).toMatchObject({ status: 200 });
  expect(await call(`PUT ${hooks}/${id}`, { run_order: 4 })).toMatchObject({ status: 200 });
  expect(await listed()).toMatchObject({ suspended });
  expect(await confirm()).toMatchObject({ status: 200 });
  expect(await listed()).toMatchObject({ suspended: null });
  expect(await afterCall()).toMatchObject({ status: 'ok' });
  expect(stage.received).toHaveLength(2);
  const [entry] = (await call(`GET /api/v1/audit?action=hook.updated&object=${id}`)).body;
  expect(entry.changes).toEqual([{ field: 'confirmed', before: null, after: true }]);
});

it('what was confirmed is the tool as it was: a hook does not run what somebody else made of it', async () => {
  const tool = await makeTool(request());
  expect(await makeHook(tool, builder)).toMatchObject(forbidden);
  await makeHook(tool);
  expect(await afterCall()).toMatchObject({ status: 'ok' });
  // Its calls still ask, so that this needs no further ability.
  const elsewhere = { configuration: request({ url: `${stage.outside.url}/elsewhere` }) };
  expect(await call(`PUT /api/v1/tools/${tool}`, elsewhere, builder)).toMatchObject({ status: 200 });
  expect(await listed()).toMatchObject({ suspended });
  expect(await afterCall()).toMatchObject({ status: 'error', error: suspended });
  expect(stage.received.map(({ path }) => path)).toEqual(['/note']);
  // A new name is not another call.
  await call(`PUT /api/v1/tools/${tool}`, { configuration: request(), name: 'renamed' }, builder);
  expect(await listed()).toMatchObject({ suspended: null });
});

it('a hook on a tool that reads needs no approval, until the tool changes something', async () => {
  const reading = { method: 'GET', url: `${stage.outside.url}/read` };
  const tool = await makeTool(reading);
  expect(await makeHook(tool, builder)).toMatchObject({ status: 201 });
  expect(await listed()).toMatchObject({ suspended: null });
  const posting = { configuration: request() };
  expect(await call(`PUT /api/v1/tools/${tool}`, posting, builder)).toMatchObject({ status: 200 });
  expect(await afterCall()).toMatchObject({ status: 'error', error: suspended });
  expect(stage.received).toEqual([]);
});

it('a hook on a tool that reads does not run it when it changes something without asking', async () => {
  const tool = await makeTool({ method: 'GET', url: `${stage.outside.url}/read` });
  expect(await makeHook(tool, builder)).toMatchObject({ status: 201 });
  const unasked = { configuration: request({ approval: 'never' }) };
  expect(await call(`PUT /api/v1/tools/${tool}`, unasked)).toMatchObject({ status: 200 });
  const { id } = await listed();
  expect(await listed()).toMatchObject({ enabled: true, suspended });
  expect(await afterCall()).toMatchObject({ status: 'error', error: suspended });
  expect(stage.received).toEqual([]);
  expect(await call(`PUT ${hooks}/${id}`, { confirm: true }, builder)).toMatchObject(forbidden);
  expect(await call(`PUT ${hooks}/${id}`, { confirm: true })).toMatchObject({ status: 200 });
  expect(await afterCall()).toMatchObject({ status: 'ok' });
});

it('a tool that changes something without asking is made a hook only by those who may approve', async () => {
  const tool = await makeTool(request({ approval: 'never' }));
  expect(await makeHook(tool, builder)).toMatchObject(forbidden);
  expect(await makeHook(tool)).toMatchObject({ status: 201 });
});

it('every run is in the audit log, without its arguments', async () => {
  const tool = await makeTool(request({ url: `${stage.outside.url}/broken` }));
  const { id } = (await makeHook(tool)).body;
  await afterCall();
  const [entry] = (await call(`GET /api/v1/audit?action=hook.ran&object=${id}`)).body;
  expect(entry).toMatchObject({
    actor: { type: 'service' },
    object: { type: 'hook', id, name: 'note' },
    changes: expect.arrayContaining([
      { field: 'tool_configuration_id', before: null, after: tool },
      { field: 'outcome', before: null, after: 'error' },
    ]),
  });
  expect(entry.changes.map(({ field }: { field: string }) => field)).not.toContain('note');
});
