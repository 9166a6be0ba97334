import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let botId: string;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());
beforeEach(async () => {
  botId = await makeBot();
});

const makeBot = async (key = service.key): Promise<string> =>
  (await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' }, key })).body.id;
const path = (rest = '', bot = botId) => `/api/v1/bots/${bot}/scenarios${rest}`;
const create = (body: object, options: object = {}) => service.call(`POST ${path()}`, { body, ...options });
const list = async () => (await service.call(`GET ${path()}`)).body;
const plain = { name: 'Greets', turns: ['Hello'] };
const whole = {
  name: 'A late parcel',
  turns: ['Where is it?', 'When does it come?'],
  expected_facts: ['It is in Cologne.'],
  must_call: ['find_order'],
  must_not_call: ['refund'],
  stand_ins: [
    { function: 'find_order', arguments: { zeta: 1, alpha: { deep: [1, null] } }, result: { z: 1, a: 2 } },
    { function: 'find_order', result: 'unknown', is_error: true },
    { function: 'empty', result: null },
  ],
};

describe('scenarios', () => {
  it('are returned as written, in order, with defaults for the rest', async () => {
    const [first, second] = [await create(whole), await create(plain)];
    expect([first.status, second.status]).toEqual([201, 201]);
    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    const none = { expected_facts: [], must_call: [], must_not_call: [], stand_ins: [] };
    const listed = await list();
    expect(listed).toEqual([
      { id: first.body.id, bot_id: botId, ...whole, ...times },
      { id: second.body.id, bot_id: botId, ...plain, ...none, ...times },
    ]);
    const { arguments: given } = listed[0].stand_ins[0];
    expect(JSON.stringify(given)).toBe(JSON.stringify(whole.stand_ins[0]?.arguments));
  });

  it('are changed in part, can be written back as read, and are deleted', async () => {
    const { id } = (await create(whole)).body;
    const body = { name: 'Renamed', must_call: [] };
    expect((await service.call(`PUT ${path(`/${id}`)}`, { body })).status).toBe(200);
    const [changed] = await list();
    expect(changed).toMatchObject({ ...whole, ...body });
    expect((await service.call(`PUT ${path(`/${id}`)}`, { body: changed })).status).toBe(200);
    expect(await list()).toEqual([{ ...changed, updated_at: expect.any(String) }]);
    expect((await service.call(`DELETE ${path(`/${id}`)}`)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect((await service.call(`DELETE ${path(`/${id}`)}`)).status).toBe(404);
  });

  it('are created once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const answers = [await create(plain, { headers }), await create(plain, { headers })];
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect(await list()).toHaveLength(1);
  });

  it.each([
    [{ turns: ['x'] }, 'name'],
    [{ name: 'x' }, 'turns'],
    [{ ...plain, turns: [] }, 'turns'],
    [{ ...plain, turns: [''] }, 'turns.0'],
    [{ ...plain, turns: Array.from({ length: 21 }, () => 'x') }, 'turns'],
    [{ ...plain, expected_facts: [1] }, 'expected_facts.0'],
    [{ ...plain, must_call: ['not a name'] }, 'must_call.0'],
    [{ ...plain, stand_ins: [{ function: 'x' }] }, 'stand_ins.0.result'],
    [{ ...plain, stand_ins: [{ function: 'x', result: 1, arguments: [] }] }, 'stand_ins.0.arguments'],
    [{ ...plain, stand_ins: [{ function: 'x', result: 1, surprise: 1 }] }, 'stand_ins.0.surprise'],
    [{ ...plain, must_call: ['a', 'b'], must_not_call: ['b'] }, 'must_not_call'],
  ])('refuse %j', async (body, field) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path: field }] },
    });
    expect(await list()).toEqual([]);
  });

  it('refuse a change that contradicts their other fields', async () => {
    const { id } = (await create(whole)).body;
    const answer = await service.call(`PUT ${path(`/${id}`)}`, { body: { must_call: ['refund'] } });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'must_not_call' }] } });
    expect((await list())[0].must_call).toEqual(whole.must_call);
  });

  it('are limited to a hundred per bot, even if created concurrently', async () => {
    for (let index = 0; index < 97; index += 1) await create(plain);
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(plain)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.find(({ status }) => status === 400)?.body.message).toContain('at most 100 scenarios');
    expect(await list()).toHaveLength(100);
  });

  it('are not found from another workspace, or under another bot', async () => {
    const { id } = (await create(plain)).body;
    const { key } = await service.makeWorkspace();
    const elsewhere = [
      { bot: botId, key },
      { bot: await makeBot(key), key },
      { bot: await makeBot(), key: service.key },
    ];
    for (const { bot, key: theirs } of elsewhere) {
      const put = { body: { name: 'Taken' }, key: theirs };
      expect((await service.call(`PUT ${path(`/${id}`, bot)}`, put)).status).toBe(404);
      expect((await service.call(`DELETE ${path(`/${id}`, bot)}`, { key: theirs })).status).toBe(404);
    }
    expect((await service.call(`GET ${path()}`, { key })).status).toBe(404);
    expect((await create(plain, { key })).status).toBe(404);
    expect(await list()).toMatchObject([{ id, name: 'Greets' }]);
  });
});
