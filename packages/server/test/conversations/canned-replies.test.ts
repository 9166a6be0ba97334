import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const write = (body: object, key = service.key) => service.call('POST /api/v1/canned-replies', { key, body });
const change = (id: string, body: object, key = service.key) =>
  service.call(`PUT /api/v1/canned-replies/${id}`, { key, body });
const list = async (key = service.key) => (await service.call('GET /api/v1/canned-replies', { key })).body;

it('are written, changed, listed by shortcut and deleted', async () => {
  const { key } = await service.makeWorkspace();
  const thanks = await write({ shortcut: 'thanks', text: 'Thank you!' }, key);
  expect(thanks).toMatchObject({ status: 201, body: { id: expect.any(String) } });
  const returns = await write({ shortcut: 'returns', text: 'Within 30 days. {{ operator }}' }, key);
  await change(returns.body.id, { text: 'Within 60 days. {{operator}} with {{bot}}' }, key);
  expect(await list(key)).toMatchObject([
    { id: returns.body.id, shortcut: 'returns', text: 'Within 60 days. {{operator}} with {{bot}}' },
    { id: thanks.body.id, shortcut: 'thanks', text: 'Thank you!' },
  ]);
  const one = `/api/v1/canned-replies/${thanks.body.id}` as const;
  expect((await service.call(`DELETE ${one}`, { key })).status).toBe(200);
  expect((await service.call(`DELETE ${one}`, { key })).status).toBe(404);
  const audit = (await service.call('GET /api/v1/audit', { key })).body;
  expect(audit.slice(0, 4).map(({ action }: { action: string }) => action)).toEqual([
    'canned_reply.deleted',
    'canned_reply.updated',
    'canned_reply.created',
    'canned_reply.created',
  ]);
});

it.each([
  ['a text without end', { text: 'x'.repeat(4_001) }, 'text'],
  ['an empty text', { text: '' }, 'text'],
  ['an unknown placeholder', { text: 'Hello {{name}}' }, 'text'],
  ['half a placeholder', { text: 'Hello {{operator' }, 'text'],
  ['large letters', { shortcut: 'Returns' }, 'shortcut'],
  ['a space', { shortcut: 'a b' }, 'shortcut'],
  ['a long shortcut', { shortcut: 'a'.repeat(41) }, 'shortcut'],
])('refuse %s', async (_what, fields, path) => {
  expect(await write({ shortcut: 'refused', text: 'x', ...fields })).toMatchObject({
    status: 400,
    body: { details: [{ path }] },
  });
});

it('have shortcuts of their own', async () => {
  await write({ shortcut: 'one', text: '1' });
  const { body: two } = await write({ shortcut: 'two', text: '2' });
  const refused = {
    status: 400,
    body: { details: [{ path: 'shortcut', message: 'is taken by another canned reply' }] },
  };
  expect(await write({ shortcut: 'one', text: 'x' })).toMatchObject(refused);
  expect(await change(two.id, { shortcut: 'one' })).toMatchObject(refused);
  expect((await change(two.id, { shortcut: 'two', text: 'II' })).status).toBe(200);
});

it('belong to their workspace, and are written by those who may write to users', async () => {
  const { body: ours } = await write({ shortcut: 'ours', text: 'Ours.' });
  const { key } = await service.makeWorkspace();
  expect(await list(key)).toEqual([]);
  expect((await change(ours.id, { text: 'Theirs.' }, key)).status).toBe(404);
  expect((await service.call(`DELETE /api/v1/canned-replies/${ours.id}`, { key })).status).toBe(404);
  expect((await write({ shortcut: 'ours', text: 'Theirs.' }, key)).status).toBe(201);
  expect(await list()).toContainEqual(expect.objectContaining({ shortcut: 'ours', text: 'Ours.' }));
  const reader = await service.makeKey({ abilities: ['conversations:read'] });
  expect((await service.call('GET /api/v1/canned-replies', { key: reader })).status).toBe(200);
  expect((await write({ shortcut: 'x', text: 'x' }, reader)).status).toBe(403);
  const viewer = await makeMember(service, { role: 'viewer' });
  const body = { shortcut: 'x', text: 'x' };
  expect((await viewer.call('POST /api/v1/canned-replies', { body })).status).toBe(403);
});

it('are at most 500', async () => {
  const { key, id } = await service.makeWorkspace();
  await service.database.acrossWorkspaces.raw(
    `insert into canned_replies (id, workspace_id, shortcut, text, created_at, updated_at)
     select gen_random_uuid(), $1, 'reply-' || n, 'x', now(), now() from generate_series(1, 500) n`,
    [id],
  );
  expect(await write({ shortcut: 'one-more', text: 'x' }, key)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'shortcut' }] },
  });
});
