import { setTimeout as sleep } from 'node:timers/promises';
import type { SQL } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchStore } from '../../src/conversations/search/conversation-search.store.ts';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, type SaidTurn, scriptedEnvironment } from '../support/chat.ts';
import { type Member, makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

let service: TestApp;
let scripted: ScriptedModel;
let viewer: Member;
let support: string;
let sales: string;
let parcel: SaidTurn;
let refund: SaidTurn;
let offer: SaidTurn;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  scripted.respondWith(() => [text('It takes two weeks at most, 100% sure.')]);
  viewer = await makeMember(service, { role: 'viewer' });
  [support, sales] = await Promise.all([chat.bot({ name: 'Support' }), chat.bot({ name: '=cmd()' })]);
  const say = (bot: string, user: string, message: string) =>
    chat.say({ bot_id: bot, external_user_id: user, message });
  parcel = await say(support, 'ada', 'Where is my parcel?');
  await nextMillisecond();
  refund = await say(support, 'grace', 'I want "my money", back');
  await nextMillisecond();
  offer = await say(sales, 'ada', '=HYPERLINK("https://evil.example")');
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

/** Until ids begin with another time: after a clock was set back they begin with the same one for a while. */
async function nextMillisecond(): Promise<void> {
  const now = newId().slice(0, 13);
  while (newId().startsWith(now)) await sleep(1);
}

async function found(query: string): Promise<string[]> {
  const answer = await viewer.call(`GET /api/console/conversations?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.map(({ id }: { id: string }) => id);
}

describe('conversations are found', () => {
  it('by bot, user, channel and state, those with the latest messages first', async () => {
    expect(await found('')).toEqual([offer, refund, parcel].map(({ conversationId }) => conversationId));
    expect(await found(`bot_id=${support}&external_user_id=ada`)).toEqual([parcel.conversationId]);
    expect(await found('channel=widget')).toEqual([]);
    expect(await found('status=idle')).toHaveLength(3);
    expect(await found('status=no_answer')).toEqual([]);
    expect(await found('needs_human=true')).toEqual([]);
  });

  it('by an id of theirs, of a message or of a turn', async () => {
    for (const id of [refund.conversationId, refund.messageId, refund.turnId])
      expect(await found(`q=${id}`)).toEqual([refund.conversationId]);
    expect(await found(`q=${newId()}`)).toEqual([]);
  });

  it('by a user, a title or a text, with the place where it was found', async () => {
    expect(await found('q=grace')).toEqual([refund.conversationId]);
    expect(await found('q=GRAC')).toEqual([refund.conversationId]);
    expect(await found('status=running')).toEqual([]);
    expect(await found('q=parcel')).toEqual([parcel.conversationId]);
    expect(await found(`q=${encodeURIComponent('"two weeks"')}`)).toHaveLength(3);
    // In quotation marks a user is not meant, and no character is a wildcard.
    expect(await found(`q=${encodeURIComponent('"grace"')}`)).toEqual([]);
    expect(await found(`q=${encodeURIComponent('100% sure')}`)).toHaveLength(3);
    expect(await found(`q=${encodeURIComponent('100_ sure')}`)).toEqual([]);
    const { body } = await viewer.call('GET /api/console/conversations?q=weeks&limit=1');
    expect(body[0]).toMatchObject({ match: 'It takes two weeks at most, 100% sure.', bot_name: '=cmd()' });
  });

  it('by when they began', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const earlier = new Date(Date.now() - 3_600_000).toISOString();
    expect(await found(`from=${earlier}&to=${soon}`)).toHaveLength(3);
    expect(await found(`from=${soon}`)).toEqual([]);
    expect(await found(`to=${earlier}`)).toEqual([]);
    // Ids begin with the milliseconds at which they were made.
    const begun = ({ conversationId: id }: SaidTurn) =>
      new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString();
    const [second, third] = [begun(refund), begun(offer)];
    expect(await found(`q=weeks&from=${second}`)).toEqual([offer.conversationId, refund.conversationId]);
    expect(await found(`q=weeks&to=${third}`)).toEqual([refund.conversationId, parcel.conversationId]);
    const before = refund.conversationId;
    expect(await found(`q=weeks&to=${soon}&before=${before}`)).toEqual([parcel.conversationId]);
    expect(await found(`to=${second}&before=${offer.conversationId}`)).toEqual([parcel.conversationId]);
  });

  it('page by page', async () => {
    const first = await viewer.call('GET /api/console/conversations?q=weeks&limit=2');
    expect(first.body).toHaveLength(2);
    const next = /before=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1];
    expect(await found(`q=weeks&limit=2&before=${next}`)).toEqual([parcel.conversationId]);
  });

  it('by their latest messages, with an index of their own, however many there are', async () => {
    const { id: workspaceId, key } = await service.makeWorkspace();
    const body = { name: 'x', system_prompt: 'x' };
    const bot = (await service.call('POST /api/v1/bots', { key, body })).body.id;
    const { acrossWorkspaces } = service.database;
    await acrossWorkspaces.execute(sql`
      insert into conversations (id, workspace_id, bot_id, channel, title, last_message_at)
      select gen_random_uuid(), ${workspaceId}, ${bot}, 'chat', 'x', now() - n * interval '10 minutes'
      from generate_series(1, 20000) n`);
    await acrossWorkspaces.execute(sql`analyze conversations`);
    // With row-level security, as requests have it.
    const query = service.database.within(workspaceId);
    const planOf = async (statement: { getSQL(): SQL }) =>
      JSON.stringify((await query.execute(sql`explain ${statement.getSQL()}`)).rows);
    const page = searchStore.list(query, workspaceId, { order: 'active', after: newId() }, 51);
    expect(await planOf(page)).toMatch(/using conversations_active.*Index Cond:[^"]*active_hour/);
    const own = await planOf(searchStore.listForMember(query, workspaceId, viewer.id, 20));
    for (const index of ['conversations_to_do', 'conversations_mentioned']) expect(own).toContain(index);
  });

  it.each(['', '&label=x', '&q=%22Message%22'])(
    'by their latest messages, whatever is written between two pages%s',
    async (query) => {
      const { id: workspaceId, key } = await service.makeWorkspace();
      const { call } = await makeMember(service, { role: 'viewer', workspaceId });
      const body = { name: 'x', system_prompt: 'x' };
      const bot = (await service.call('POST /api/v1/bots', { key, body })).body.id;
      // Begun one after the other; the first was written to last. Some of them at the same time, some days ago.
      const ids = Array.from({ length: 40 }, () => newId());
      const statements = service.database.acrossWorkspaces;
      await statements.execute(sql`insert into conversations (id, workspace_id, bot_id, channel, title, labels, last_sequence, last_message_at)
        select id, ${workspaceId}, ${bot}, 'chat', 'x', '{x}', 1,
          case when place < 40 then now() - (place / 4) * interval '7 hours' end
        from unnest(${sql.param(ids)}::uuid[]) with ordinality as given (id, place)`);
      await statements.execute(sql`insert into messages (id, workspace_id, conversation_id, sequence, role, content, created_at)
        select gen_random_uuid(), ${workspaceId}, id, 1, 'user', 'Message', now() from unnest(${sql.param(ids)}::uuid[]) as id`);
      const page = async (before = '') => {
        const answer = await call(`GET /api/console/conversations?limit=7${query}${before}`);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        const next = /before=([^&>]+)/.exec(answer.headers.get('link') ?? '')?.[1];
        return { rows: answer.body as { id: string; last_message_at: string }[], next };
      };
      const first = await page();
      const read = [...first.rows];
      // What is written to meanwhile comes first in the list, and leaves no gap where the page ended.
      const moved = [first.rows.at(-1)?.id ?? '', ids[30] ?? ''];
      await statements.execute(sql`update conversations set last_message_at = now() + interval '1 minute'
        where id in (${sql.join(moved, sql`, `)})`);
      for (let { next } = first; next; ) {
        const { rows, next: after } = await page(`&before=${next}`);
        read.push(...rows);
        next = after;
      }
      expect(read.map(({ id }) => id).toSorted()).toEqual(ids.filter((id) => id !== moved[1]).toSorted());
      // One without a message has the time at which it began, which is now.
      const times = read.map((row) => row.last_message_at ?? first.rows[0]?.last_message_at);
      expect(read[0]?.id).toBe(ids[39]);
      expect(times).toEqual(times.toSorted().toReversed());
      expect(
        (await page()).rows
          .slice(0, 2)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(moved.toSorted());
    },
  );

  it('only in the own workspace', async () => {
    const other = await service.makeWorkspace();
    const stranger = await makeMember(service, { role: 'owner', workspaceId: other.id });
    const all = await stranger.call('GET /api/console/conversations');
    expect(all.body).toEqual([]);
    const tool = { tool_type: 'http_request', name: 'x', description: 'x' };
    const configuration = { method: 'GET', url: 'https://shop.example.com/' };
    const made = await service.call('POST /api/v1/tools', { body: { ...tool, configuration } });
    for (const id of [parcel.conversationId, parcel.messageId, parcel.turnId, support, made.body.id]) {
      expect((await viewer.call(`GET /api/console/find?id=${id}`)).status, id).toBe(200);
      expect((await stranger.call(`GET /api/console/find?id=${id}`)).status, id).toBe(404);
    }
    const foreign = await stranger.call('GET /api/console/conversations', {
      headers: { 'x-svc-workspace': viewer.workspaceId },
    });
    expect(foreign.status).toBe(403);
  });
});

describe('an export', () => {
  const read = (format: string, query = '') =>
    viewer.call(`GET /api/console/conversations/export?format=${format}${query}`);

  it('as CSV has a line per conversation, and no text that a spreadsheet would run', async () => {
    const answer = await read('csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="conversations-.*\.csv"$/,
    );
    const [head, ...lines] = (answer.body as string).trimEnd().split('\r\n');
    expect(head).toContain('id,created_at');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(lines[0]).toContain(",'=cmd(),");
    expect(lines[1]).toContain('"I want ""my money"", back"');
  });

  it('as NDJSON has the messages, too', async () => {
    const answer = await read('ndjson', '&external_user_id=grace');
    const lines = (answer.body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      id: refund.conversationId,
      bot_name: 'Support',
      messages: [
        { role: 'user', content: 'I want "my money", back' },
        { role: 'assistant', content: 'It takes two weeks at most, 100% sure.' },
      ],
    });
  });

  it('has every conversation and every message, however many there are', async () => {
    const { id: workspaceId, key } = await service.makeWorkspace();
    const { call } = await makeMember(service, { role: 'viewer', workspaceId });
    const body = { name: 'x', system_prompt: 'x' };
    const bot = (await service.call('POST /api/v1/bots', { key, body })).body.id;
    const ids = Array.from({ length: 205 }, () => newId());
    const query = service.database.acrossWorkspaces;
    await query.execute(sql`insert into conversations (id, workspace_id, bot_id, channel, title, last_sequence)
      select id, ${workspaceId}, ${bot}, 'chat', 'x', 105 from unnest(${sql.param(ids)}::uuid[]) as id`);
    await query.execute(sql`insert into messages (id, workspace_id, conversation_id, sequence, role, content, created_at)
      select gen_random_uuid(), ${workspaceId}, ${ids[0]}, number, 'user', 'Message ' || number, now()
      from generate_series(1, 105) as number`);
    const download = async (format: string) =>
      (await call(`GET /api/console/conversations/export?format=${format}`)).body.trimEnd() as string;
    const lines = (await download('csv')).split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids.toReversed());
    const objects = (await download('ndjson')).split('\n').map((line) => JSON.parse(line));
    expect(objects.map(({ id }) => id)).toEqual(ids.toReversed());
    const texts = objects.at(-1).messages.map(({ content }: { content: string }) => content);
    expect(texts).toEqual(Array.from({ length: 105 }, (_, index) => `Message ${index + 1}`));
    // Exports take the places of long lists.
    await query.execute(sql`update workspaces set limits = '{"lists": 0}' where id = ${workspaceId}`);
    expect((await call('GET /api/console/conversations/export?format=csv')).status).toBe(429);
  });

  it('ends when its reader signs out or is removed, and no client takes it for complete', async () => {
    const { database } = service;
    const owner = await makeMember(service, { role: 'owner' });
    const [leaving, removed] = [
      await makeMember(service, { role: 'viewer' }),
      await makeMember(service, { role: 'viewer' }),
    ];
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const locking = database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute(sql`lock table messages in access exclusive mode`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const ended = new Map<string, unknown>();
    const exporting = [leaving, removed].map(async ({ id, call }) =>
      ended.set(id, await call('GET /api/console/conversations/export?format=csv').catch((error) => error)),
    );
    try {
      await eventually(() => countWaitingForLocks(database, 'as preview')).toBe(2);
      await leaving.call('POST /api/console/sign-out', { headers: { 'x-svc-console': '1' } });
      await owner.call(`DELETE /api/console/members/${removed.id}`);
      await eventually(() => [ended.get(leaving.id), ended.get(removed.id)]).toEqual([
        expect.any(TypeError),
        expect.any(TypeError),
      ]);
    } finally {
      release.resolve();
    }
    await Promise.all([locking, ...exporting]);
  });
});

it('the overview warns when less than a tenth of the credit is left', async () => {
  const read = async () => (await viewer.call('GET /api/console/overview')).body;
  const cost = Number((await read()).today.cost_usd);
  expect(cost).toBeGreaterThan(0);
  const query = service.database.acrossWorkspaces;
  await query.execute(sql`insert into usage_records
    (id, workspace_id, model, input_tokens, cached_input_tokens, output_tokens)
    values (gen_random_uuid(), ${viewer.workspaceId}, 'openai/new', 1, 0, 1)`);
  expect((await read()).today).toMatchObject({ cost_usd: String(cost), unpriced_models: ['openai/new'] });
  for (const [credit, isLow] of [
    [cost * 2, false],
    [cost * 1.05, true],
  ] as const) {
    await query.execute(sql`update workspaces set credit_usd = ${credit} where id = ${viewer.workspaceId}`);
    expect((await read()).balance).toMatchObject({ is_low: isLow });
  }
  await query.execute(sql`update workspaces set credit_usd = null where id = ${viewer.workspaceId}`);
});

it('a pasted id is found, whatever it belongs to', async () => {
  const find = async (id: string) => (await viewer.call(`GET /api/console/find?id=${id}`)).body;
  expect(await find(support)).toMatchObject({ type: 'bot', title: 'Support' });
  expect(await find(parcel.conversationId)).toMatchObject({
    type: 'conversation',
    id: parcel.conversationId,
  });
  expect(await find(parcel.messageId ?? '')).toMatchObject({
    type: 'conversation',
    id: parcel.conversationId,
    message_id: parcel.messageId,
  });
  const body = { name: 'Late', turns: ['Where is it?'], must_call: ['find_order'] };
  const scenario = await service.call(`POST /api/v1/bots/${support}/scenarios`, { body });
  expect(await find(scenario.body.id)).toMatchObject({ type: 'scenario', title: 'Late', bot_id: support });
});

it('the overview shows what waits, what went wrong, and what is left to set up', async () => {
  const read = async () => (await viewer.call('GET /api/console/overview')).body;
  const before = await read();
  expect(before).toMatchObject({
    waiting: { approvals: 0, handoffs: 0 },
    handoffs: [],
    running: [],
    today: { conversations: 3 },
    balance: null,
    setup: { model: true, bot: true, knowledge: false, widget: false },
  });
  const query = service.database.acrossWorkspaces;
  const preview = await service.call(`POST /api/v1/widgets/test-key?bot_id=${support}`);
  expect(preview.status).toBe(200);
  await query.execute(sql`update widget_keys set last_used_at = now() where id = ${preview.body.id}`);
  expect((await read()).setup).toMatchObject({ widget: false });
  await query.execute(
    sql`update conversations set handoff_requested_at = now(), handoff_reason = 'wants a person' where id = ${parcel.conversationId}`,
  );
  await query.execute(
    sql`update turns set status = 'failed', error = '{"code":"INTERNAL","message":"It broke."}' where id = ${refund.turnId}`,
  );
  await eventually(read).toMatchObject({
    waiting: { approvals: 0, handoffs: 1 },
    handoffs: [{ id: parcel.conversationId, needs_human: { reason: 'wants a person' } }],
    failed: [
      { kind: 'turn', conversation_id: refund.conversationId, bot_name: 'Support', reason: 'It broke.' },
    ],
    failed_count: 1,
  });
  expect(await found('status=failed')).toEqual([refund.conversationId]);
  expect((await viewer.call('GET /api/console/waiting')).body).toEqual({ approvals: 0, handoffs: 1 });
  // What went wrong more than a day ago is not news.
  await query.execute(
    sql`update turns set ended_at = ended_at - interval '25 hours' where id = ${refund.turnId}`,
  );
  expect(await read()).toMatchObject({ failed: [], failed_count: 0 });
  const place = `/api/v1/conversations/${parcel.conversationId}`;
  const handedBack = await service.call(`PATCH ${place}`, { body: { needs_human: null } });
  expect(handedBack.status, JSON.stringify(handedBack.body)).toBe(200);
  const after = await read();
  expect(after).toMatchObject({ waiting: { handoffs: 0 }, handoffs: [] });
  expect(before.quiet_since).toBeNull();
  expect(Date.now() - Date.parse(after.quiet_since)).toBeLessThan(60_000);
});
