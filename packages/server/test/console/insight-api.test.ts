import type { NodeFigures, SystemFigures } from '@svc/contract/console-system';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSystemFigures } from '../../src/console/system/system-figures.ts';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createInstallationFigures } from '../../src/metrics/installation-figures.ts';
import { createNodeCommands } from '../../src/nodes/node-commands.ts';
import { listAliveNodes } from '../../src/nodes/presence.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { type Member, makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { startNode } from '../support/test-node.ts';

const providerKey = 'sk-planted-provider-key';
let service: TestApp;
let operator: Member;
let viewer: Member;
let bot: string;

beforeAll(async () => {
  service = await startTestApp({ environment: { OPENAI_API_KEY: providerKey } });
  operator = await makeMember(service, { role: 'operator' });
  viewer = await makeMember(service, { role: 'viewer' });
  bot = (await operator.call('POST /api/v1/bots', { body: { name: 'Support', system_prompt: 'x' } })).body.id;
});
afterAll(() => service.stop());

const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);

/** A reply with its record, as the engine would have stored them. */
async function addReply(workspaceId: string, record: Record<string, unknown>): Promise<string> {
  const [conversation, turn, question, answer, id] = [newId(), newId(), newId(), newId(), newId()];
  await run(sql`insert into conversations (id, workspace_id, bot_id, channel, title, last_sequence)
    values (${conversation}, ${workspaceId}, ${bot}, 'chat', 'x', 2)`);
  await run(sql`insert into turns (id, workspace_id, conversation_id, bot_id, status)
    values (${turn}, ${workspaceId}, ${conversation}, ${bot}, 'completed')`);
  const citations = JSON.stringify([{ title: 'Returns', quote: 'Within 30 days.' }]);
  await run(sql`insert into messages (id, workspace_id, conversation_id, turn_id, sequence, role, content, citations, created_at)
    values (${question}, ${workspaceId}, ${conversation}, ${turn}, 1, 'user', 'Can I send it back?', '[]', now()),
      (${answer}, ${workspaceId}, ${conversation}, ${turn}, 2, 'assistant', 'Yes, for free.', ${citations}, now())`);
  const fields = {
    refused: false,
    unsupported_claims: [],
    passages: [],
    created_at: new Date().toISOString(),
    ...record,
  };
  await run(
    sql`insert into quality_records select * from json_populate_record(null::quality_records, ${JSON.stringify(
      {
        ...fields,
        id,
        workspace_id: workspaceId,
        bot_id: bot,
        conversation_id: conversation,
        turn_id: turn,
        message_id: answer,
      },
    )}::json)`,
  );
  return id;
}

describe('quality', () => {
  it('is summed by day and by bot, and shown reply by reply to operators', async () => {
    const { workspaceId } = operator;
    const graded = await addReply(workspaceId, { grading: 'graded', score: 0.8 });
    const withheld = await addReply(workspaceId, {
      grading: 'graded',
      score: 0.2,
      refused: true,
      refused_text: 'A guess.',
    });
    const unsupported = await addReply(workspaceId, {
      validation: 'validated',
      verdict: 'unsupported',
      unsupported_claims: ['for free'],
    });
    const counts = {
      graded: 2,
      average_score: 0.5,
      refused: 1,
      ungraded: 0,
      validated: 1,
      supported: 0,
      unsupported: 1,
    };
    const report = (await operator.call('GET /api/console/quality?days=7')).body;
    expect(report).toMatchObject({ total: counts, bots: [{ bot_id: bot, ...counts }] });
    expect(report.days).toHaveLength(7);
    expect(report.days.at(-1)).toMatchObject({ date: new Date().toISOString().slice(0, 10), ...counts });

    const all = (await operator.call('GET /api/console/quality/records')).body;
    expect(all.map(({ id }: { id: string }) => id)).toEqual([unsupported, withheld, graded]);
    expect(all[0]).toMatchObject({
      question: 'Can I send it back?',
      answer: 'Yes, for free.',
      sources: [{ title: 'Returns', quote: 'Within 30 days.' }],
      unsupported_claims: ['for free'],
    });
    const one = await operator.call(`GET /api/console/quality/records?bot_id=${bot}&refused=true&limit=1`);
    expect(one.body).toMatchObject([{ id: withheld, refused_text: 'A guess.' }]);
    const first = await operator.call('GET /api/console/quality/records?limit=2');
    expect(first.headers.get('link')).toContain(`before=${withheld}`);
    const next = await operator.call(`GET /api/console/quality/records?limit=2&before=${withheld}`);
    expect(next.body).toMatchObject([{ id: graded }]);
    expect((await operator.call('GET /api/console/quality/records?unsupported=true')).body).toHaveLength(1);
    const before = new Date(Date.now() - 8 * 86_400_000).toISOString();
    await addReply(workspaceId, { grading: 'graded', score: 1, created_at: before });
    expect((await operator.call('GET /api/console/quality?days=7')).body).toEqual(report);
    expect((await operator.call('GET /api/console/quality?days=30')).body.total.graded).toBe(3);
  });

  it('is not for viewers, not for keys, and not for other workspaces', async () => {
    for (const path of ['/api/console/quality', '/api/console/quality/records', '/api/console/system']) {
      expect((await viewer.call(`GET ${path}`)).status).toBe(403);
      expect((await service.call(`GET ${path}`)).status).toBe(401);
    }
    const other = await service.makeWorkspace();
    const elsewhere = await makeMember(service, { role: 'owner', workspaceId: other.id });
    expect((await elsewhere.call('GET /api/console/quality/records')).body).toEqual([]);
    expect((await elsewhere.call('GET /api/console/quality')).body.total.graded).toBe(0);
    expect((await elsewhere.call(`GET /api/console/quality?bot_id=${bot}`)).status).toBe(404);
  });
});

describe('the system', () => {
  it('says what is configured, and never a key', async () => {
    const { body } = await operator.call('GET /api/console/system');
    expect(body.providers).toContainEqual(
      expect.objectContaining({
        name: 'openai',
        has_key: true,
        is_ready: true,
        key_variable: 'OPENAI_API_KEY',
      }),
    );
    expect(body.providers).toContainEqual(expect.objectContaining({ name: 'anthropic', is_ready: false }));
    expect(body.nodes).toMatchObject([{ is_this: true, is_alive: true, release: body.release }]);
    expect(body).toMatchObject({
      mail: { is_ready: false },
      redis: { is_configured: false, is_connected: false },
    });
    expect(JSON.stringify(body)).not.toContain(providerKey);
  });

  it('shows how busy all nodes are, to owners of the first workspace only', async () => {
    const owner = await makeMember(service, { role: 'owner' });
    const other = await service.makeWorkspace();
    const elsewhere = await makeMember(service, { role: 'owner', workspaceId: other.id });
    const shown = async ({ call }: Member) => (await call('GET /api/console/system')).body.shows_figures;
    expect([await shown(owner), await shown(elsewhere)]).toEqual([true, false]);
    const refused = await elsewhere.call('GET /api/console/system/figures');
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await operator.call('GET /api/console/system/figures')).status).toBe(403);

    // What failed for good does not wait.
    await run(
      sql`insert into pgboss.job (name, state, policy) values ('dead-letter', 'created', 'standard')`,
    );
    const second = await startNode({ database: service.database });
    try {
      const read = async () => (await owner.call('GET /api/console/system/figures')).body as SystemFigures;
      const answered = async () => (await read()).nodes.filter(({ figures }) => figures !== null);
      await expect.poll(answered).toHaveLength(2);
      const { nodes, alive_nodes: alive, queues } = await read();
      expect(alive).toBe(2);
      expect(nodes.map(({ figures }) => figures?.turns_in_progress)).toEqual([0, 0]);
      for (const { figures } of nodes) expect(figures?.memory_bytes).toBeGreaterThan(1_000_000);
      expect(queues).toContainEqual({ name: 'turns', waiting: 0, running: 0, oldest_seconds: 0 });
      expect(queues?.map(({ name }) => name)).not.toContain('dead-letter');
      // The first reading begins to measure.
      await expect
        .poll(async () => (await read()).nodes.map(({ figures }) => typeof figures?.event_loop_delay_ms))
        .toEqual(['number', 'number']);
    } finally {
      await second.stop();
    }
  });
});

it('reads the figures again after an attempt that failed', async () => {
  const { database } = service;
  const log = pino({ enabled: false });
  const { rows } = await run(sql`select nodes.id as node, workspaces.id as workspace from nodes, workspaces
    order by nodes.started_at, workspaces.created_at limit 1`);
  const [{ node, workspace }] = rows as [{ node: string; workspace: string }];
  const figures = { turns_in_progress: 7 } as NodeFigures;
  const reads = [() => Promise.reject(new Error('once')), () => Promise.resolve(figures)];
  const system = createSystemFigures({
    database,
    installationFigures: createInstallationFigures({ database, log }),
    nodeCommands: createNodeCommands({ database, log }, newId()),
    nodeId: node,
    workspaces: createWorkspaceService({ database }),
    own: { read: () => reads.shift()?.() ?? Promise.resolve(figures), stop: () => undefined },
  });
  await expect(system.read(workspace)).rejects.toThrow('once');
  expect((await system.read(workspace)).nodes[0]).toEqual({ id: node, figures });
});

it('asks nodes that are alive, its own first, and counts them all', async () => {
  await service.database.acrossWorkspaces.transaction(async (tx) => {
    const [own, lost] = [newId(), newId()];
    const { total: before } = await listAliveNodes(tx, own, 1);
    await tx.raw('savepoint planted');
    await tx.execute(sql`insert into nodes (id, started_at) values (${own}, now() + interval '1 hour')`);
    await tx.execute(sql`insert into nodes (id, started_at, seen_at)
      values (${lost}, now() - interval '1 day', now() - interval '1 minute')`);
    await tx.execute(sql`insert into nodes (id) select gen_random_uuid() from generate_series(1, 40)`);
    const { ids, total } = await listAliveNodes(tx, own, 30);
    expect([ids[0], ids.length]).toEqual([own, 30]);
    expect(ids).not.toContain(lost);
    expect(total).toBe(before + 41);
    await tx.raw('rollback to savepoint planted');
  });
});

describe('widgets', () => {
  it('are listed with the page that last used them', async () => {
    const created = { bot_id: bot, name: 'Shop', allowed_domains: ['shop.example.com'] };
    const { id } = (await operator.call('POST /api/v1/widgets/keys', { body: created })).body;
    await operator.call(`POST /api/v1/widgets/test-key?bot_id=${bot}`);
    await run(
      sql`update widget_keys set last_used_at = now(), last_used_host = 'shop.example.com' where id = ${id}`,
    );
    const seen = { last_used_at: expect.any(String), last_used_host: 'shop.example.com' };
    expect((await viewer.call('GET /api/console/widgets')).body).toEqual([
      { bot_id: bot, active_keys: 1, ...seen },
    ]);
    await operator.call(`DELETE /api/v1/widgets/keys/${id}`);
    expect((await viewer.call('GET /api/console/widgets')).body).toMatchObject([{ active_keys: 0 }]);
  });
});
