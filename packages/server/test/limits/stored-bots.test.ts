import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const body = { name: 'Bot', system_prompt: 'Be kind.' };

async function workspaceWith(limit: number | 'unlimited') {
  const workspace = await service.makeWorkspace();
  await createWorkspaceService(service).changePlan(workspace.id, {}, { stored_bots: limit });
  const create = (headers: Record<string, string> = {}) =>
    service.call('POST /api/v1/bots', { key: workspace.key, body, headers });
  return { ...workspace, create };
}

it('counts inactive bots, so that creating and deleting bots hits the limit too', async () => {
  const { create, key } = await workspaceWith(3);
  for (let index = 0; index < 3; index += 1) {
    const { status, body: bot } = await create();
    expect(status).toBe(201);
    await service.call(`DELETE /api/v1/bots/${bot.id}`, { key });
  }
  for (const headers of [{}, { 'idempotency-key': randomUUID() }]) {
    const answer = await create(headers);
    expect(answer).toMatchObject({
      status: 402,
      body: {
        code: 'PLAN_LIMIT_REACHED',
        message: expect.stringMatching(/limit of 3 bots.*[Ii]nactive bots count/),
        details: [{ limit: 'stored_bots', value: 3 }],
      },
    });
  }
  // Existing bots can be restored.
  const listed = await service.call('GET /api/v1/bots', { key });
  expect(listed.body).toHaveLength(3);
  const again = { key, body: { status: 'active' } };
  expect((await service.call(`PUT /api/v1/bots/${listed.body[0].id}`, again)).status).toBe(200);
});

it('admits exactly as many as there is room for, even with far more concurrent requests', async () => {
  const { create, key } = await workspaceWith(105);
  const statuses = (await Promise.all(Array.from({ length: 120 }, () => create()))).map(
    ({ status }) => status,
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(105);
  expect(statuses.filter((status) => status === 402)).toHaveLength(15);
  expect((await service.call('GET /api/v1/bots', { key })).body).toHaveLength(105);
});

it('has a default of ten thousand, and can be lifted', async () => {
  const fill = (workspaceId: string) =>
    service.database.acrossWorkspaces.raw(
      `insert into bots (id, workspace_id, name, system_prompt, status)
        select gen_random_uuid(), $1, 'Bot', 'x', 'inactive' from generate_series(1, 9999)`,
      [workspaceId],
    );
  const usual = await service.makeWorkspace();
  await fill(usual.id);
  const create = (key: string) => service.call('POST /api/v1/bots', { key, body });
  expect((await create(usual.key)).status).toBe(201);
  expect(await create(usual.key)).toMatchObject({ status: 402, body: { details: [{ value: 10_000 }] } });
  await createWorkspaceService(service).changePlan(usual.id, {}, { stored_bots: 'unlimited' });
  expect((await create(usual.key)).status).toBe(201);
});
