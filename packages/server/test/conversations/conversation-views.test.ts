import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const path = '/api/v1/conversation-views';
const create = (body: object, key = service.key) => service.call(`POST ${path}`, { body, key });
const namesOf = async (key = service.key) =>
  (await service.call(`GET ${path}`, { key })).body.map(({ name }: { name: string }) => name);

it('is kept for the team by its name, and deleted', async () => {
  const filter = { state: 'open', label: 'vip', assignee: 'me', needs_human: true };
  const created = await create({ name: ' VIP ', filter });
  expect(created).toMatchObject({ status: 201, body: { id: expect.any(String) } });
  await create({ name: 'Failed calls', filter: { channel: 'voice', status: 'failed' } });
  expect((await service.call(`GET ${path}`)).body).toMatchObject([
    { name: 'Failed calls' },
    { id: created.body.id, name: 'VIP', filter },
  ]);
  expect(await create({ name: 'VIP', filter })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'name', message: 'is taken by another view' }] },
  });
  for (const id of [created.body.id, (await service.call(`GET ${path}`)).body[0].id])
    expect((await service.call(`DELETE ${path}/${id}`)).status).toBe(200);
  expect(await namesOf()).toEqual([]);
  expect((await service.call(`DELETE ${path}/${created.body.id}`)).status).toBe(404);
});

it('refuses what it could not select by, and names it', async () => {
  for (const [body, field] of [
    [{ name: 'x', filter: {} }, 'filter'],
    [{ name: '  ', filter: { label: 'vip' } }, 'name'],
    [{ name: 'x'.repeat(41), filter: { label: 'vip' } }, 'name'],
    [{ name: 'x', filter: { state: 'gone' } }, 'filter.state'],
    [{ name: 'x', filter: { assignee: 'somebody' } }, 'filter.assignee'],
    [{ name: 'x', filter: { from: '2026-11-15' } }, 'filter.from'],
    [{ name: 'x', filter: { needs_human: false } }, 'filter.needs_human'],
  ] as const) {
    const answer = await create(body);
    expect([answer.status, answer.body.details?.[0].path]).toEqual([400, field]);
  }
  expect(await namesOf()).toEqual([]);
});

it('is limited in number, and each workspace and ability has its own', async () => {
  const filter = { label: 'vip' };
  const { key, id: workspaceId } = await service.makeWorkspace();
  for (let index = 0; index < 50; index += 1) await create({ name: `View ${index}`, filter }, key);
  expect(await namesOf(key)).toHaveLength(50);
  expect((await create({ name: 'One more', filter }, key)).body.details).toMatchObject([{ path: 'name' }]);
  expect(await namesOf()).toEqual([]);
  const [first] = (await service.call(`GET ${path}`, { key })).body;
  expect((await service.call(`DELETE ${path}/${first.id}`)).status).toBe(404);
  const reader = await service.makeKey({ abilities: ['conversations:read'] });
  expect((await create({ name: 'Mine', filter }, reader)).status).toBe(403);
  expect(await namesOf(reader)).toEqual([]);
  const viewer = await makeMember(service, { role: 'viewer', workspaceId });
  expect((await viewer.call(`POST ${path}`, { body: { name: 'Mine', filter } })).status).toBe(403);
  expect((await viewer.call(`GET ${path}`)).body).toHaveLength(50);
});
