import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let workspace: { id: string; key: string };
let other: { id: string; key: string };
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());
beforeEach(async () => {
  [workspace, other] = [await service.makeWorkspace(), await service.makeWorkspace()];
});

/** A job that was given up `minutes` ago. */
async function failed(
  workspaceId: string,
  fields: { data?: object; output?: object; minutes?: number } = {},
) {
  const { data = {}, output = { message: 'x', reason: 'x' }, minutes = 0 } = fields;
  const id = randomUUID();
  await service.database.acrossWorkspaces.execute(sql`insert into pgboss.job
    (id, name, data, source_name, source_id, source_created_on, source_retry_count, source_output, policy, created_on)
    values (${id}, 'dead-letter', ${JSON.stringify({ workspaceId, ...data })}::jsonb, 'approval-notices', ${randomUUID()}::uuid,
      now(), 8, ${JSON.stringify(output)}::jsonb, 'standard', now() - ${minutes} * interval '1 minute')`);
  return id;
}
const list = (query = '', key = workspace.key) => service.call(`GET /api/v1/jobs${query}`, { key });
const idsOf = (body: { id: string }[]) => body.map(({ id }) => id);

it('shows what failed, what it concerned and why, and nothing else', async () => {
  const approvalId = randomUUID();
  const id = await failed(workspace.id, {
    data: { approvalId, channel: 'webhook', secret: 'canary' },
    output: { message: 'The webhook answered with 500.', reason: 'The webhook answered with 500.' },
  });
  expect((await list('?status=failed')).body).toEqual([
    {
      id,
      status: 'failed',
      queue: 'approval-notices',
      subject: { approval_id: approvalId },
      error: 'The webhook answered with 500.',
      attempts: 9,
      failed_at: expect.stringMatching(/Z$/),
    },
  ]);
});

it('hides what only the operator may know', async () => {
  await failed(workspace.id, { output: { message: 'Failed query: select canary' } });
  const { body } = await list();
  expect(body).toMatchObject([{ error: expect.stringMatching(/^Something went wrong on our side/) }]);
  expect(JSON.stringify(body)).not.toContain('canary');
});

it('shows and retries only those of the workspace', async () => {
  const theirs = await failed(other.id);
  expect((await list()).body).toEqual([]);
  expect(await service.call(`POST /api/v1/jobs/${theirs}/retry`, { key: workspace.key })).toMatchObject({
    status: 404,
  });
  expect(idsOf((await list('', other.key)).body)).toEqual([theirs]);
});

it('comes in pages, newest first', async () => {
  const ids: string[] = [];
  for (const minutes of [5, 4, 3, 2, 1]) ids.unshift(await failed(workspace.id, { minutes }));
  await failed(other.id, { minutes: 3 });
  const seen: string[] = [];
  let query = '?limit=2&status=failed';
  for (let pages = 1; ; pages += 1) {
    const { body, headers } = await list(query);
    seen.push(...idsOf(body));
    const next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    if (next === undefined) {
      expect(pages).toBe(3);
      break;
    }
    query = new URL(next).search;
    // The last job of this page is gone, but the next page still starts after its position.
    await service.call(`POST /api/v1/jobs/${seen.at(-1)}/retry`, { key: workspace.key });
  }
  expect(seen).toEqual(ids);
});

it.each(['?status=active', '?before=yesterday', '?limit=0', '?before=1.x', '?queue=x'])(
  'refuses %s',
  async (query) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  },
);

it('is retried once per Idempotency-Key', async () => {
  const id = await failed(workspace.id, { data: { approvalId: randomUUID(), channel: 'email' } });
  const retry = (key: string) =>
    service.call(`POST /api/v1/jobs/${id}/retry`, {
      key: workspace.key,
      headers: { 'idempotency-key': key },
    });
  const first = await retry('one');
  expect(first).toMatchObject({ status: 200, body: { message: expect.any(String) } });
  expect(await retry('one')).toMatchObject({ status: 200, body: first.body });
  expect(await retry('two')).toMatchObject({ status: 404 });
  expect((await list()).body).toEqual([]);
});

it('is removed if its queue allows one job per workspace and already has one', async () => {
  const id = await failed(workspace.id);
  await service.database.acrossWorkspaces.execute(
    sql`update pgboss.job set source_name = 'knowledge-reindex', singleton_key = ${workspace.id} where id = ${id}`,
  );
  await service.database.acrossWorkspaces.execute(sql`insert into pgboss.job (name, data, singleton_key, policy, start_after)
    values ('knowledge-reindex', ${JSON.stringify({ workspaceId: workspace.id })}::jsonb, ${workspace.id}, 'exclusive',
      now() + interval '1 hour')`);
  expect(await service.call(`POST /api/v1/jobs/${id}/retry`, { key: workspace.key })).toMatchObject({
    status: 200,
  });
  expect((await list()).body).toEqual([]);
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select name, state from pgboss.job where data ->> 'workspaceId' = ${workspace.id}`,
  );
  expect(rows).toEqual([{ name: 'knowledge-reindex', state: 'created' }]);
});
