import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
/** May do everything with bots, but not answer approvals. */
let builder: string;
beforeAll(async () => {
  service = await startTestApp();
  builder = await service.makeKey({ abilities: ['bots:read', 'bots:write', 'tools:read', 'tools:write'] });
});
afterAll(() => service.stop());

const own = { webhook_url: 'https://own.example/hook' };
const others = { webhook_url: 'https://others.example/hook' };
const plain = { name: 'x', system_prompt: 'x' };
const refusal = {
  status: 403,
  body: {
    code: 'FORBIDDEN',
    message: expect.stringContaining('approvals:write'),
    details: [{ path: 'approval_notice', ability: 'approvals:write' }],
  },
};

const create = (body: object, key = service.key) =>
  service.call('POST /api/v1/bots', { key, body: { ...plain, ...body } });
const put = (id: string, body: object, key = builder) =>
  service.call(`PUT /api/v1/bots/${id}`, { key, body });
const read = async (id: string) => (await service.call(`GET /api/v1/bots/${id}`, { key: builder })).body;
const noticeOf = async (id: string) => JSON.parse((await read(id)).settings).approval_notice;

it.each([
  ['a field', { approval_notice: own }],
  ['settings', { settings: { approval_notice: own } }],
  ['settings as text', { settings: JSON.stringify({ approval_notice: own }) }],
])('only a key that may answer creates a bot with a notice: as %s', async (_how, body) => {
  const before = (await service.call('GET /api/v1/bots')).body.length;
  expect(await create(body, builder)).toMatchObject(refusal);
  expect((await service.call('GET /api/v1/bots')).body).toHaveLength(before);
  expect(await create(body)).toMatchObject({ status: 201 });
  expect(await create({}, builder)).toMatchObject({ status: 201 });
});

it.each([
  ['set', {}, { approval_notice: own }],
  ['set through settings', {}, { settings: { approval_notice: own } }],
  ['set through settings as text', {}, { settings: JSON.stringify({ approval_notice: own }) }],
  ['sent elsewhere', { approval_notice: others }, { approval_notice: own }],
  ['sent to one more', { approval_notice: others }, { approval_notice: { ...others, email: 'a@b.example' } }],
  ['taken away', { approval_notice: others }, { approval_notice: null }],
])('a notice is not %s by others', async (_how, initial, change) => {
  const { body } = await create(initial);
  const before = await noticeOf(body.id);
  expect(await put(body.id, change)).toMatchObject(refusal);
  expect(await noticeOf(body.id)).toEqual(before);
});

it('the notice may be written back as read, and every other field changed', async () => {
  const { body } = await create({ approval_notice: { ...others } });
  const whole = await read(body.id);
  expect(await put(body.id, { ...whole, name: 'y' })).toMatchObject({ status: 200 });
  expect(await put(body.id, { settings: { approval_notice: others }, name: 'z' })).toMatchObject({
    status: 200,
  });
  expect(await put(body.id, { description: 'Other.' })).toMatchObject({ status: 200 });
  expect(await noticeOf(body.id)).toEqual(others);
  expect(await put(body.id, { approval_notice: own }, service.key)).toMatchObject({ status: 200 });
  // The value that was read before now counts as a change.
  expect(await put(body.id, whole)).toMatchObject(refusal);
});

it('a version that has another notice is restored only by a key that may answer', async () => {
  const { body } = await create({ approval_notice: own });
  await put(body.id, { approval_notice: others }, service.key);
  await put(body.id, { name: 'renamed' });
  const restore = (number: number, key = builder) =>
    service.call(`POST /api/v1/bots/${body.id}/versions/${number}/restore`, { key });
  expect(await restore(1)).toMatchObject(refusal);
  expect(await noticeOf(body.id)).toEqual(others);
  expect(await restore(2)).toMatchObject({ status: 200 });
  expect(await restore(1, service.key)).toMatchObject({ status: 200 });
  expect(await noticeOf(body.id)).toEqual(own);
});
