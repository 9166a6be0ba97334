import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListPages } from '../../src/database/list-page.ts';
import { createSendList } from '../../src/http/send-list.ts';
import { eventually } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { readSlowly } from './slow-reader.ts';

const million = 1_000_000;

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const run = (text: string, ...values: unknown[]) => service.database.acrossWorkspaces.raw(text, values);

/** The exact response body. */
async function textOf(path: string, key: string): Promise<string> {
  const answer = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return answer.text();
}

/** Creates bots whose order differs from that of their ids, some at the same time, some a microsecond apart. */
async function makeBots(workspaceId: string, count: number): Promise<void> {
  await run(
    `insert into bots (id, workspace_id, name, system_prompt, settings, metadata, created_at)
      select gen_random_uuid(), $1, 'Bot ' || n, repeat('p', n % 50), '{"model":"openai/gpt-4o"}',
        jsonb_build_object('half', (n % 2)::text), timestamptz '2026-01-01' + (n / 3) * interval '1 microsecond'
      from generate_series(1, $2::int) as n`,
    workspaceId,
    count,
  );
}

const inOrder = `order by created_at, id`;
const idsIn = async (query: string, workspaceId: string) =>
  (await run(query, workspaceId)).rows.map((row) => (row as { id: string }).id);

async function eachByItself(path: string, ids: string[], key: string): Promise<string[]> {
  const texts: string[] = [];
  const waiting = ids.entries();
  const worker = async () => {
    for (const [place, id] of waiting) texts[place] = await textOf(`${path}/${id}`, key);
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return texts;
}

/** The list has these ids in this order, and every tenth entry is what it is by itself. */
async function expectListed(text: string, path: string, ids: string[], key: string): Promise<void> {
  expect((JSON.parse(text) as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  const some = ids.filter((_, place) => place % 10 === 0);
  for (const one of await eachByItself(path, some, key)) expect(text).toContain(one);
}

describe('a list', () => {
  it('of any number of bots contains each of them in order, byte for byte', async () => {
    const { id, key } = await service.makeWorkspace();
    await makeBots(id, 450);
    const ids = await idsIn(`select id from bots where workspace_id = $1 ${inOrder}`, id);
    const texts = await eachByItself('/bots', ids, key);
    for (const count of [450, 201, 200, 3, 1, 0]) {
      await run(`delete from bots where workspace_id = $1 and id = any($2)`, id, ids.slice(count));
      expect(await textOf('/bots', key), `${count}`).toBe(`[${texts.slice(0, count).join(',')}]`);
      const head = await service.call('HEAD /api/v1/bots', { key });
      expect(head, `${count}`).toMatchObject({ status: 200, body: '' });
      expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('applies its filter on every page', async () => {
    const { id, key } = await service.makeWorkspace();
    await makeBots(id, 900);
    const wanted = await idsIn(
      `select id from bots where workspace_id = $1 and metadata->>'half' = '1' ${inOrder}`,
      id,
    );
    const listed = JSON.parse(await textOf('/bots?metadata.half=1', key)) as { id: string }[];
    expect(listed.map((bot) => bot.id)).toEqual(wanted);
  });

  it('of tools shows on every page which secrets are set, but not their values', async () => {
    const { id, key } = await service.makeWorkspace();
    await run(
      `with made as (
        insert into tools (id, workspace_id, tool_type, name, configuration, created_at)
          select gen_random_uuid(), $1, 'http_request', 'Tool ' || n, jsonb_build_object('url', 'https://example.com'),
            timestamptz '2026-01-01' + (n / 3) * interval '1 microsecond'
          from generate_series(1, 450) as n returning id, workspace_id)
      insert into tool_secrets (tool_id, field, workspace_id, wrapped_key, sealed)
        select id, field, workspace_id, 'x', 'canary' from made, unnest(array['header_value', 'bearer_token']) as field`,
      id,
    );
    const ids = await idsIn(`select id from tools where workspace_id = $1 ${inOrder}`, id);
    const text = await textOf('/tools', key);
    await expectListed(text, '/tools', ids, key);
    expect(text.split('["bearer_token","header_value"]')).toHaveLength(451);
    expect(text).not.toContain('canary');
  });

  it('of knowledge truncates the content of each source', async () => {
    const { id, key } = await service.makeWorkspace();
    await run(
      `insert into knowledge (id, workspace_id, title, content_type, content, status, processing_status)
        select gen_random_uuid(), $1, 'Source ' || n, 'text', repeat('k', n * 1000),
          case when n % 10 = 0 then 'inactive' else 'active' end, 'completed'
        from generate_series(1, 230) as n`,
      id,
    );
    const ids = await idsIn(
      `select id from knowledge where workspace_id = $1 and status = 'active' ${inOrder}`,
      id,
    );
    expect(ids).toHaveLength(207);
    await expectListed(await textOf('/knowledge', key), '/knowledge', ids, key);
    expect(JSON.parse(await textOf('/knowledge?status=inactive', key))).toHaveLength(23);
  });

  it('of pending approvals is complete, oldest first', async () => {
    const { id, key } = await service.makeWorkspace();
    await makeBots(id, 1);
    await run(
      `with conversation as (
        insert into conversations (id, workspace_id, bot_id, channel, external_user_id, title)
          select gen_random_uuid(), $1, id, 'chat', 'u', 'x' from bots where workspace_id = $1
          returning id, workspace_id, bot_id),
      turn as (
        insert into turns (id, workspace_id, conversation_id, bot_id, status)
          select gen_random_uuid(), workspace_id, id, bot_id, 'paused' from conversation
          returning id, workspace_id, conversation_id, bot_id),
      message as (
        insert into messages (id, workspace_id, conversation_id, turn_id, role, content, sequence, created_at)
          select gen_random_uuid(), workspace_id, conversation_id, id, 'assistant', 'x', 1, now() from turn
          returning id),
      calls as (
        insert into tool_calls (id, workspace_id, conversation_id, turn_id, message_id, position, name, tool_type,
            arguments, needs_approval, repeatable, status)
          select gen_random_uuid(), workspace_id, conversation_id, turn.id, message.id, n, 'x', 'x', '{}', true, false, 'proposed'
          from turn, message, generate_series(1, 250) as n
          returning id, workspace_id, conversation_id, turn_id)
      insert into approvals (id, workspace_id, conversation_id, turn_id, bot_id, tool_call_id, tool_type, tool_name,
          arguments, arguments_schema, context, expires_at)
        select gen_random_uuid(), calls.workspace_id, calls.conversation_id, turn_id, turn.bot_id, calls.id, 'x', 'x',
          '{}', '{}', '{"kind":"call","summary":"x"}', now() + interval '1 day'
        from calls, turn`,
      id,
    );
    const listed = JSON.parse(await textOf('/hitl', key)) as { id: string }[];
    expect(listed).toHaveLength(250);
    expect(listed.map((approval) => approval.id)).toEqual(
      await idsIn(`select id from approvals where workspace_id = $1 order by id`, id),
    );
  });

  it('of hooks or scenarios is complete and in order', async () => {
    const { id, key } = await service.makeWorkspace();
    await makeBots(id, 1);
    const [botId] = await idsIn('select id from bots where workspace_id = $1', id);
    await run(
      `with made as (
        insert into tools (id, workspace_id, tool_type, name)
          select gen_random_uuid(), $1, 'calculator', 'Tool ' || n from generate_series(1, 450) as n
          returning id, workspace_id, name)
      insert into post_call_hooks (id, workspace_id, bot_id, tool_configuration_id, run_order)
        select gen_random_uuid(), workspace_id, $2, id, length(name) from made`,
      id,
      botId,
    );
    await run(
      `insert into evaluation_scenarios
          (id, workspace_id, bot_id, name, turns, expected_facts, must_call, must_not_call, stand_ins)
        select gen_random_uuid(), $1, $2, 'Scenario', json_build_array(repeat('t', 30000)), '[]', '[]', '[]', '[]'
        from generate_series(1, 100)`,
      id,
      botId,
    );
    const hooks = JSON.parse(await textOf(`/bots/${botId}/post-call-hooks`, key)) as { id: string }[];
    expect(hooks.map((hook) => hook.id)).toEqual(
      await idsIn(
        `select id from post_call_hooks where workspace_id = $1 order by run_order, created_at, id`,
        id,
      ),
    );
    for (const hook of hooks)
      expect(hook).toMatchObject({ tool_type: 'calculator', tool_name: expect.stringMatching(/^Tool \d+$/) });
    const scenarios = JSON.parse(await textOf(`/bots/${botId}/scenarios`, key)) as { id: string }[];
    expect(scenarios.map((scenario) => scenario.id)).toEqual(
      await idsIn(`select id from evaluation_scenarios where workspace_id = $1 order by id`, id),
    );
  });
});

describe('a long list', () => {
  it('is abandoned when its reader disconnects', async () => {
    let pages = 0;
    let isGivenUp = false;
    async function* endless(): ListPages<{ text: string }> {
      try {
        for (; ; pages += 1) yield [{ text: 'x'.repeat(million) }];
      } finally {
        isGivenUp = true;
      }
    }
    const app = fastify();
    const sendList = createSendList({ concurrencyLimits: { whileOpen: () => undefined } });
    app.decorateRequest('leaveQueue', () => undefined);
    const items = { type: 'object', properties: { text: { type: 'string' } } };
    const schema = { response: { 200: { type: 'array', items } } };
    app.get('/', { schema }, (_request, reply) => sendList(reply, endless()));
    const reader = await readSlowly(await app.listen({ host: '127.0.0.1', port: 0 }), 'none');
    await reader.take(5 * million);
    expect(isGivenUp).toBe(false);
    reader.close();
    await eventually(() => isGivenUp).toBe(true);
    // Only as many as were read, and those in the connection's buffers.
    expect(pages).toBeLessThan(40);
    await app.close();
  });
});

describe('a failure', () => {
  it('is an ordinary error before the first byte, and closes the connection after it', async () => {
    const broken = await startTestApp();
    const { id, key } = await broken.makeWorkspace();
    const query = (text: string, ...values: unknown[]) => broken.database.acrossWorkspaces.raw(text, values);
    await query(
      `insert into bots (id, workspace_id, name, system_prompt)
        select gen_random_uuid(), $1, 'Bot', repeat('p', 100000) from generate_series(1, 250)`,
      id,
    );
    const reader = await readSlowly(`${broken.url}/api/v1/bots`, key);
    expect(reader.status).toBe(200);
    await reader.take(million);
    await query('alter table bots rename to hidden');
    expect(await reader.take(100 * million)).toBe(false);
    expect(reader.isComplete()).toBe(false);
    expect(reader.taken()).toBeLessThan(24 * million);
    const answer = await broken.call('GET /api/v1/bots', { key });
    expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    await query('alter table hidden rename to bots');
    expect((await broken.call('GET /api/v1/bots', { key })).body).toHaveLength(250);
    await broken.stop();
  });
});
