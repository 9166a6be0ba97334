import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usageRecords } from '../../src/billing/billing.tables.ts';
import { openDatabase } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { eventually, upTo } from '../support/chat.ts';
import type { Answer } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { createWidget, openPage, type Page } from './use-widget.ts';

let store: TestDatabase;
let one: TestNode;
let behindProxy: TestNode;
beforeAll(async () => {
  store = await createTestDatabase();
  one = await start();
  behindProxy = await start({ SVC_TRUSTED_PROXIES: '127.0.0.0/8' });
});
afterAll(async () => {
  await one.stop();
  await behindProxy.stop();
  await store.drop();
});

/** A node with connections of its own. */
async function start(environment: Record<string, string> = {}): Promise<TestNode> {
  const database = openDatabase({ connection: store.connection, onConnectionError: () => undefined });
  // Long enough that no node counts requests on its own because the machine is busy.
  const node = await startNode({ database, environment, maxCountMilliseconds: 20_000 });
  return {
    ...node,
    async stop() {
      await node.stop();
      await database.close();
    },
  };
}

const write = (page: Page, token: string, headers: Record<string, string> = {}, message: object = {}) =>
  page.call('POST /api/widget/messages', {
    token,
    body: { message: 'Hello', ...message },
    headers,
  });

const newOne = { new_conversation: true };
const requestToken = (page: Page, forwardedFor: string, body: object = {}) =>
  page.call('POST /api/widget/token', { body, headers: { 'x-forwarded-for': forwardedFor } });

const count = (answers: Answer[], wanted: number) => answers.filter(({ status }) => status === wanted).length;
const refusal = (limit: string, value: unknown) => ({
  status: 429,
  body: { code: 'RATE_LIMITED', details: [{ limit, value }] },
});

it('admits exactly as many messages as the key allows, on all nodes and after a restart', async () => {
  const key = await createWidget(one, { key: { rate_limit_per_hour: 10, visitor_messages_per_hour: 8 } });
  const pages = [one, behindProxy].map((node) => openPage(node, key.api_key)) as [Page, Page];
  const [first, second] = [await pages[0].issueToken(), await pages[1].issueToken()];
  const sending = pages.flatMap((page) =>
    upTo(10).map((number) => write(page, number % 2 === 0 ? first.token : second.token, {}, newOne)),
  );
  const answers = await Promise.all(sending);
  expect([count(answers, 200), count(answers, 429)]).toEqual([10, 10]);
  // In a table that PostgreSQL logs, so that a crash of everything does not begin the hour again.
  const { rows } = await store.database.acrossWorkspaces.execute(sql`
    select count, relpersistence as persistence from message_counts, pg_class
    where name = ${`widget ${key.id}`} and pg_class.oid = 'message_counts'::regclass`);
  expect(rows).toEqual([{ count: 10, persistence: 'p' }]);
  const restarted = await start();
  const page = openPage(restarted, key.api_key);
  const third = await page.issueToken();
  const refused = await write(page, third.token);
  expect(refused).toMatchObject(refusal('rate_limit_per_hour', 10));
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(3_000);
  expect(seconds).toBeLessThanOrEqual(3_600);
  expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
  // The operator's change is effective immediately.
  await one.call(`PATCH /api/v1/widgets/keys/${key.id}`, { body: { rate_limit_per_hour: 11 } });
  await eventually(async () => (await write(page, third.token)).status).toBe(200);
  expect(await write(page, third.token)).toMatchObject(refusal('rate_limit_per_hour', 11));
  await restarted.stop();
});

it('limits each visitor, and counts neither reads nor refused messages', async () => {
  const key = await createWidget(one, { key: { visitor_messages_per_hour: 2 } });
  const page = openPage(one, key.api_key);
  const { token } = await page.issueToken();
  const unknown = { conversation_id: randomUUID() };
  for (const message of [unknown, unknown, { message: '' }, unknown]) {
    const { status } = await write(page, token, {}, message);
    expect([400, 404]).toContain(status);
  }
  for (const _ of upTo(3)) await page.call('GET /api/widget/conversations', { token });
  expect((await write(page, token)).status).toBe(200);
  expect((await write(page, token)).status).toBe(200);
  expect(await write(page, token)).toMatchObject(refusal('visitor_messages_per_hour', 2));
  const other = await page.issueToken();
  expect((await write(page, other.token)).status).toBe(200);
});

it('counts a message once, however often it is repeated', async () => {
  const key = await createWidget(one, { key: { visitor_messages_per_hour: 2 } });
  const page = openPage(one, key.api_key);
  const { token } = await page.issueToken();
  const started = ({ body }: Answer) => /"turn_id":"([^"]+)"/.exec(body)?.[1];
  const first = await write(page, token, { 'idempotency-key': 'first' });
  for (const _ of upTo(3)) {
    expect(started(await write(page, token, { 'idempotency-key': 'first' }))).toBe(started(first));
  }
  expect((await write(page, token, { 'idempotency-key': 'second' })).status).toBe(200);
  expect(await write(page, token, { 'idempotency-key': 'third' })).toMatchObject({ status: 429 });
  expect(started(await write(page, token, { 'idempotency-key': 'first' }))).toBe(started(first));
});

it('refuses a flood without the database', async () => {
  const key = await createWidget(one, { key: { visitor_messages_per_hour: 1 } });
  const page = openPage(one, key.api_key);
  const { token } = await page.issueToken();
  await write(page, token);
  const answers: Answer[] = [];
  const flood = (number: number) =>
    write(page, token, { 'idempotency-key': `flood ${number}` }).then((answer) => answers.push(answer));
  const flooding = await store.database.acrossWorkspaces.transaction(async (tx) => {
    expect(await write(page, token)).toMatchObject({ status: 429 });
    await tx.execute('lock table message_counts, idempotency_records, usage_records, conversations, bots');
    const all = upTo(60).map(flood);
    // Once per second, one of them looks whether there is room again, and waits.
    await eventually(() => count(answers, 429)).toBeGreaterThanOrEqual(50);
    return all;
  });
  await Promise.all(flooding);
  expect(count(answers, 429)).toBe(60);
});

it('limits what a visitor may cost within a day', async () => {
  const key = await createWidget(one);
  const page = openPage(one, key.api_key);
  const { token, visitor_id: externalUserId } = await page.issueToken();
  const { rows } = await store.database.acrossWorkspaces.execute<{ id: string }>('select id from workspaces');
  const usage = { model: 'test', inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
  const workspaceId = rows[0]?.id ?? '';
  await store.database.acrossWorkspaces
    .insert(usageRecords)
    .values({ id: randomUUID(), workspaceId, externalUserId, costUsd: '1', ...usage });
  const refused = await write(page, token);
  expect(refused).toMatchObject(refusal('visitor_usd_per_day', '1'));
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
  await one.call(`PATCH /api/v1/widgets/keys/${key.id}`, { body: { visitor_usd_per_day: null } });
  expect((await write(page, token)).status).toBe(200);
});

/** As if each network had sent a hundred new visitors. Returns how many networks there are. */
async function fillVisitors(keyId: string): Promise<number> {
  const { rows } = await store.database.acrossWorkspaces.execute(sql`
    update request_counts set count = count + 100 where starts_with(name, ${`visitors ${keyId}`})
    returning count`);
  return rows.length;
}

it('limits new visitors of one network, believing only proxies that are trusted', async () => {
  const key = await createWidget(one);
  const page = openPage(behindProxy, key.api_key);
  const first = await requestToken(page, '203.0.113.1');
  expect(await fillVisitors(key.id)).toBe(1);
  expect(await requestToken(page, '203.0.113.1')).toMatchObject(refusal('new_visitors_per_hour', 100));
  // What a client writes in front of its address is not believed.
  expect(await requestToken(page, '198.51.100.7, 203.0.113.1')).toMatchObject({ status: 429 });
  expect(await requestToken(page, '203.0.113.1', { renewal_token: first.body.renewal_token })).toMatchObject({
    status: 201,
  });
  expect(await requestToken(page, '203.0.113.2')).toMatchObject({ status: 201 });

  const { id, api_key: apiKey } = await createWidget(one);
  const direct = openPage(one, apiKey);
  for (const address of ['203.0.113.1', '198.51.100.7']) await requestToken(direct, address);
  expect(await fillVisitors(id)).toBe(1);
  expect(await requestToken(direct, '192.0.2.1')).toMatchObject({ status: 429 });
});

it('limits the requests and open streams of a visitor', async () => {
  const key = await createWidget(one);
  const page = openPage(one, key.api_key);
  const { token } = await page.issueToken();
  const id = await page.say(token);
  const path = `/api/widget/stream?conversation_id=${id}`;
  const streams = await Promise.all(upTo(12).map(() => page.open(path, { token })));
  expect(streams.map(({ status }) => status)).toEqual(upTo(12).map(() => 200));
  expect(await page.open(path, { token })).toMatchObject({
    status: 429,
    error: { details: [{ limit: 'streams_per_user', value: 12 }] },
  });
  for (const stream of streams.slice(0, 2)) stream.close();
  const again = async () => {
    const stream = await page.open(path, { token });
    stream.close();
    return stream.status;
  };
  await eventually(again).toBe(200);
  for (const stream of streams) stream.close();

  const answers = await Promise.all(
    upTo(240).map(() => page.call('GET /api/widget/conversations', { token })),
  );
  expect(count(answers, 429)).toBeGreaterThan(0);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused).toMatchObject(refusal('visitor_requests_per_minute', 240));
  const other = await page.issueToken();
  expect(await page.call('GET /api/widget/conversations', { token: other.token })).toMatchObject({
    status: 200,
  });
});
