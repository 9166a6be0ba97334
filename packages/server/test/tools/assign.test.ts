import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let botId: string;
let mailId: string;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const mail = {
  tool_type: 'send_email',
  name: 'Mail',
  description: 'Writes to the team.',
  configuration: { host: 'mail.example.com', from: 'bot@example.com' },
};
const makeTool = async (change: object = {}, key?: string): Promise<string> =>
  (await service.call('POST /api/v1/tools', { body: { ...mail, ...change }, ...(key && { key }) })).body.id;
const makeBot = async (key?: string): Promise<string> =>
  (await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' }, ...(key && { key }) }))
    .body.id;
const assign = (assignments: object[], bot = botId) =>
  service.call('POST /api/v1/tools/assign', { body: { bot_id: bot, assignments } });
const listed = async (bot = botId) => (await service.call(`GET /api/v1/tools/bot?bot_id=${bot}`)).body;
const types = async () => (await listed()).map((entry: { tool_type: string }) => entry.tool_type);

beforeEach(async () => {
  botId = await makeBot();
  mailId = await makeTool();
});

describe('default tools', () => {
  const unasked = {
    tool_type: 'http_request',
    configuration: { method: 'POST', url: 'https://api.example.com/x', approval: 'never' },
  };

  it('are assigned to bots that are created later, in its first version, unless they are switched off', async () => {
    const { key } = await service.makeWorkspace();
    const call = (path: string, body?: object) => service.call(path, { key, ...(body && { body }) });
    const earlier = await makeBot(key);
    const one = await makeTool({ is_default: true }, key);
    const other = await makeTool({ name: 'Other' }, key);
    const off = await makeTool({ name: 'Off', is_default: true }, key);
    await call(`PUT /api/v1/tools/${off}`, { is_active: false });
    expect(await call(`PUT /api/v1/tools/${other}`, { is_default: true })).toMatchObject({ status: 200 });
    expect((await call(`GET /api/v1/tools/${other}`)).body.is_default).toBe(true);
    const bot = await makeBot(key);
    const idsOf = async (id: string) =>
      (await call(`GET /api/v1/tools/bot?bot_id=${id}`)).body.map(
        (entry: { tool_configuration_id: string }) => entry.tool_configuration_id,
      );
    expect(await idsOf(bot)).toEqual([one, other]);
    expect(await idsOf(earlier)).toEqual([]);
    expect((await call(`GET /api/v1/bots/${bot}/versions/1`)).body.configuration.tools).toHaveLength(2);
    const { rows } = await service.database.acrossWorkspaces.execute(
      `select tool_count from bots where id = '${bot}'`,
    );
    expect(rows).toEqual([{ tool_count: 2 }]);
    // They are ordinary assignments: they can be taken away, and restored with a version.
    await call('POST /api/v1/tools/assign', { bot_id: bot, assignments: [] });
    expect(await idsOf(bot)).toEqual([]);
    await call(`PUT /api/v1/tools/${one}`, { is_default: false });
    expect(await idsOf(await makeBot(key))).toEqual([other]);
    expect(await listed(await makeBot())).toEqual([]);
  });

  it('cannot be tools of machines, whose owners allow each bot', async () => {
    const body = { ...mail, tool_type: 'coding', configuration: {}, is_default: true };
    expect(await service.call('POST /api/v1/tools', { body })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'is_default' }] },
    });
  });

  it('that act without approval are chosen by those who may answer approvals', async () => {
    const key = await service.makeKey({ abilities: ['tools:write'] });
    const body = { ...mail, ...unasked };
    const toolId = (await service.call('POST /api/v1/tools', { body })).body.id;
    const change = (given?: string) =>
      service.call(`PUT /api/v1/tools/${toolId}`, {
        body: { is_default: true },
        ...(given && { key: given }),
      });
    expect(await change(key)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await change()).toMatchObject({ status: 200 });
    await service.call(`DELETE /api/v1/tools/${toolId}`);
  });
});

describe("a bot's tools", () => {
  it('are empty at first', async () => {
    expect(await listed()).toEqual([]);
  });

  it('are listed as they were assigned, with defaults and the tool behind each', async () => {
    const answer = await assign([
      {
        tool_type: 'send_email',
        tool_configuration_id: mailId,
        tool_instructions: 'Only when asked.',
        speak_during_execution: true,
        speak_after_execution: true,
        tool_error_handling_mode: 'hide',
      },
      { tool_type: 'calculator' },
      { tool_type: 'current_time', tool_configuration_id: null },
    ]);
    expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    const plain = {
      tool_configuration_id: null,
      tool_instructions: '',
      speak_during_execution: false,
      speak_after_execution: false,
      tool_error_handling_mode: 'passthrough',
    };
    expect(await listed()).toEqual([
      {
        tool_type: 'send_email',
        tool_configuration_id: mailId,
        tool_instructions: 'Only when asked.',
        speak_during_execution: true,
        speak_after_execution: true,
        tool_error_handling_mode: 'hide',
        tool: { id: mailId, name: 'Mail', tool_type: 'send_email', description: 'Writes to the team.' },
      },
      {
        tool_type: 'calculator',
        ...plain,
        tool: { id: null, name: 'Calculator', tool_type: 'calculator', description: expect.any(String) },
      },
      {
        tool_type: 'current_time',
        ...plain,
        tool: { id: null, name: 'Current time', tool_type: 'current_time', description: expect.any(String) },
      },
    ]);
  });

  it('are replaced as a whole, in the new order, and removed by an empty list', async () => {
    await assign([{ tool_type: 'calculator' }, { tool_type: 'send_email', tool_configuration_id: mailId }]);
    await assign([{ tool_type: 'current_time' }, { tool_type: 'handoff' }, { tool_type: 'calculator' }]);
    expect(await types()).toEqual(['current_time', 'handoff', 'calculator']);
    await assign([]);
    expect(await types()).toEqual([]);
  });

  it('can be written back as they were read', async () => {
    await assign([{ tool_type: 'send_email', tool_configuration_id: mailId }, { tool_type: 'calculator' }]);
    const before = await listed();
    expect((await assign(before)).status).toBe(200);
    expect(await listed()).toEqual(before);
  });

  it('stay unchanged when one entry is invalid', async () => {
    await assign([{ tool_type: 'calculator' }]);
    const before = await listed();
    const { key } = await service.makeWorkspace();
    const calculator = await makeTool({ tool_type: 'calculator', configuration: {} });
    const good = { tool_type: 'current_time' };
    const bad: [object, number, string?][] = [
      [{ tool_type: 'teleport' }, 400, 'assignments.1.tool_type'],
      [{ tool_type: 'send_email' }, 400, 'assignments.1.tool_configuration_id'],
      [{ tool_type: 'send_email', tool_configuration_id: null }, 400, 'assignments.1.tool_configuration_id'],
      [
        { tool_type: 'send_email', tool_configuration_id: calculator },
        400,
        'assignments.1.tool_configuration_id',
      ],
      [{ tool_type: 'send_email', tool_configuration_id: 'x' }, 400, 'assignments.1.tool_configuration_id'],
      [
        { tool_type: 'calculator', tool_error_handling_mode: 'x' },
        400,
        'assignments.1.tool_error_handling_mode',
      ],
      [{ tool_type: 'calculator', surprise: 1 }, 400, 'assignments.1.surprise'],
      [{ tool_configuration_id: mailId }, 400, 'assignments.1.tool_type'],
      [{ tool_type: 'send_email', tool_configuration_id: randomUUID() }, 404],
      [{ tool_type: 'send_email', tool_configuration_id: await makeTool({}, key) }, 404],
    ];
    for (const [entry, status, path] of bad) {
      const answer = await assign([good, entry]);
      expect.soft(answer, JSON.stringify(entry)).toMatchObject({
        status,
        body: {
          code: status === 404 ? 'NOT_FOUND' : 'VALIDATION_FAILED',
          ...(path && { details: [{ path }] }),
        },
      });
    }
    expect(await listed()).toEqual(before);
  });

  it('are refused with everything that is wrong with them', async () => {
    const off = await makeTool();
    await service.call(`PUT /api/v1/tools/${off}`, { body: { is_active: false } });
    const answer = await assign([
      { tool_type: 'teleport' },
      { tool_type: 'calculator' },
      { tool_type: 'send_email' },
      { tool_type: 'calculator' },
      { tool_type: 'send_email', tool_configuration_id: randomUUID() },
      { tool_type: 'send_email', tool_configuration_id: off },
      { tool_type: 'http_request', tool_configuration_id: mailId },
      { tool_type: 'send_email', tool_configuration_id: mailId },
    ]);
    const at = (index: number, message: string, field = 'tool_configuration_id') => ({
      path: `assignments.${index}.${field}`,
      message: expect.stringContaining(message),
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.details).toEqual([
      at(0, 'is not a known type', 'tool_type'),
      at(2, 'is required for send_email'),
      at(3, 'is assigned already by assignments.1', 'tool_type'),
      at(4, 'names no tool of this workspace'),
      at(5, 'names a tool that is switched off'),
      at(6, 'is not of the type http_request'),
      at(7, 'is assigned already by assignments.6'),
    ]);
    const missing = await assign(
      [
        { tool_type: 'calculator' },
        { tool_type: 'send_email', tool_configuration_id: randomUUID() },
        { tool_type: 'send_email', tool_configuration_id: randomUUID() },
      ],
      randomUUID(),
    );
    expect(missing).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(missing.body.details).toEqual([
      { path: 'bot_id', message: 'names no bot of this workspace' },
      at(1, 'names no tool of this workspace'),
      at(2, 'names no tool of this workspace'),
    ]);
    expect(await listed()).toEqual([]);
  });

  it('may keep one that was switched off', async () => {
    const entry = { tool_type: 'send_email', tool_configuration_id: mailId };
    await assign([entry]);
    await service.call(`PUT /api/v1/tools/${mailId}`, { body: { is_active: false } });
    expect((await assign([{ tool_type: 'calculator' }, entry])).status).toBe(200);
    expect(await types()).toEqual(['calculator', 'send_email']);
  });

  it('are replaced once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const once = (assignments: object[]) =>
      service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments }, headers });
    const first = await once([{ tool_type: 'calculator' }]);
    await assign([{ tool_type: 'handoff' }]);
    expect(await once([{ tool_type: 'calculator' }])).toMatchObject({ status: 200, body: first.body });
    expect(await types()).toEqual(['handoff']);
  });

  it('belong to a bot of the workspace', async () => {
    const { key } = await service.makeWorkspace();
    for (const bot of [await makeBot(key), randomUUID()]) {
      expect((await assign([{ tool_type: 'calculator' }], bot)).status).toBe(404);
      expect((await service.call(`GET /api/v1/tools/bot?bot_id=${bot}`)).status).toBe(404);
    }
    expect((await service.call('GET /api/v1/tools/bot')).status).toBe(400);
    expect((await service.call('GET /api/v1/tools/bot?bot_id=x')).status).toBe(400);
  });

  it('are one of the sets that were sent, when several are sent concurrently', async () => {
    await assign([{ tool_type: 'handoff' }]);
    const sets = [
      ['calculator', 'current_time'],
      ['handoff', 'calculator', 'knowledge_search'],
      ['current_time'],
    ];
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(sets.map((set) => assign(set.map((type) => ({ tool_type: type })))));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
      expect(sets).toContainEqual(await types());
    }
  });

  it('survive a tool that is deleted while it is being assigned', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await makeTool();
      const entry = { tool_type: 'send_email', tool_configuration_id: id };
      const [assigned, deleted] = await Promise.all([
        assign([entry]),
        service.call(`DELETE /api/v1/tools/${id}`),
      ]);
      expect([200, 404]).toContain(assigned.status);
      expect(deleted.status).toBe(200);
      expect(
        (await listed()).map((one: { tool_configuration_id: string }) => one.tool_configuration_id),
      ).not.toContain(id);
    }
  });
});
