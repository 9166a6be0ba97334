import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { hang, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { makeAskingBot } from '../support/asking-bot.ts';
import { chatWith, scriptedEnvironment, upTo } from '../support/chat.ts';
import { makePerson } from '../support/end-users.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { tablesContaining } from './find-text.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot();
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const erase = (user: string, key = service.key) =>
  service.call(`DELETE /api/v1/end-users/${encodeURIComponent(user)}`, { key });
const erased = (count: number) => ({ status: 200, body: { deleted_conversations: count } });
const usage = async (key = service.key) =>
  (await service.call('GET /api/v1/usage?by=day,bot,model', { key })).body;

/** Rows of usage that still name somebody, of these conversations or this user. */
async function named(user: string, conversations: string[]): Promise<number> {
  const { rows } = await service.database.acrossWorkspaces.execute<{ count: number }>(sql`
    select count(*)::int as count from usage_records
    where external_user_id = ${user} or conversation_id = any(${sql.param(conversations)}::uuid[])`);
  return rows[0]?.count ?? 0;
}

it('deletes everything that names or quotes a person, in every table, and nothing of others', async () => {
  const planted = `planted-${randomUUID()}`;
  const others = `others-${randomUUID()}`;
  const user = `person-${randomUUID()}`;
  const bot = await chat.bot({ enable_agent_tracing: true, enable_confidence_scoring: true });
  await service.call('POST /api/v1/tools/assign', {
    body: { bot_id: bot, assignments: [{ tool_type: 'handoff' }, { tool_type: 'calculator' }] },
  });
  scripted.respondWith(({ body }) =>
    JSON.stringify(body).includes('"score"') ? [text('{"score": 0.9}')] : [text(`You said ${planted}`)],
  );
  scripted.enqueue([toolCall('calculator', { expression: '1 + 1', note: planted })]);
  const message = { bot_id: bot, external_user_id: user, message: planted, metadata: { name: planted } };
  const first = await chat.say(message);
  const second = await chat.say({ ...message, new_conversation: true });
  scripted.enqueue([toolCall('handoff', { reason: planted })]);
  await chat.say(message);
  await service.call(`POST /api/v1/conversations/${second.conversationId}/messages`, {
    body: { content: planted, author_name: planted },
    headers: { 'idempotency-key': randomUUID() },
  });
  await chat.say(message, { headers: { 'idempotency-key': randomUUID() } });
  await service.call(`PATCH /api/v1/conversations/${first.conversationId}`, { body: { title: planted } });

  const asking = await makeAskingBot(service, {});
  scripted.enqueue([toolCall('announce', { title: planted })]);
  const paused = await chat.say({ bot_id: asking, external_user_id: user, message: planted });
  expect(paused.last.event).toBe('turn.paused');
  scripted.enqueue([text(`Begun ${planted}`), hang]);
  const running = await chat.send({ bot_id: botId, external_user_id: user, message: planted });
  await running.until('message.delta');

  scripted.respondWith([text(`Hello ${others}`)]);
  const neighbour = { bot_id: bot, external_user_id: `${user}-2`, message: others };
  const kept = await chat.say(neighbour);
  const foreign = await service.makeWorkspace();
  const body = { name: 'Bot', system_prompt: 'x' };
  const theirs = (await service.call('POST /api/v1/bots', { key: foreign.key, body })).body.id;
  const same = { bot_id: theirs, external_user_id: user, message: others };
  const elsewhere = await chat.say(same, { key: foreign.key });

  const before = await tablesContaining(service.database, planted);
  expect(before).toEqual(
    expect.arrayContaining(
      ['approvals', 'conversations', 'events', 'messages', 'tool_calls', 'trace_steps'].map(
        (name) => `public.${name}`,
      ),
    ),
  );
  const foreignUsage = await usage(foreign.key);
  expect(await erase(user)).toMatchObject({ ...erased(4), body: { message: 'The person was erased.' } });
  await running.ended();
  expect(await tablesContaining(service.database, planted)).toEqual([]);
  expect(await usage(foreign.key)).toEqual(foreignUsage);
  const ids = [first, second, paused].map(({ conversationId }) => conversationId);
  // The other workspace knows a user with the same id.
  expect(await named(user, ids)).toBe(1);
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select workspace_id as id from usage_records where external_user_id = ${user}`,
  );
  expect(rows).toEqual([{ id: foreign.id }]);

  for (const id of ids) expect((await service.call(`GET /api/v1/conversations/${id}`)).status).toBe(404);
  expect((await service.call(`GET /api/v1/conversations/${kept.conversationId}`)).body.messages).toHaveLength(
    2,
  );
  const theirConversation = `GET /api/v1/conversations/${elsewhere.conversationId}`;
  expect((await service.call(theirConversation, { key: foreign.key })).body.messages).toHaveLength(2);
  expect(await erase(user)).toMatchObject(erased(0));

  // Nothing of it comes back to the model.
  scripted.reset();
  scripted.respondWith([text('Nice to meet you.')]);
  const again = await chat.say({ bot_id: bot, external_user_id: user, message: 'Hello' });
  expect(again.events[0]?.id).toBe(1);
  expect(JSON.stringify(scripted.requests.map((request) => request.body))).not.toContain(planted);
});

it('usage totals stay the same, and usage of conversations that went with their bot is anonymized too', async () => {
  const { key } = await service.makeWorkspace();
  const user = `person-${randomUUID()}`;
  const makeBot = async () =>
    (await service.call('POST /api/v1/bots', { key, body: { name: 'Bot', system_prompt: 'x' } })).body.id;
  const bots = [await makeBot(), await makeBot()];
  scripted.respondWith([text('Yes.')]);
  for (const bot of bots) await chat.say({ bot_id: bot, external_user_id: user }, { key });
  await service.database.acrossWorkspaces.execute(sql`delete from bots where id = ${bots[0] ?? ''}`);
  const before = await usage(key);
  expect(await named(user, [])).toBe(2);
  expect(await erase(user, key)).toMatchObject(erased(1));
  expect(await usage(key)).toEqual(before);
  expect(before.rows.map(({ turns }: { turns: number }) => turns)).toEqual([1, 1]);
  expect(await named(user, [])).toBe(0);
});

it('ends the streams of its readers, and a repeat of an earlier send finds nothing', async () => {
  const user = { bot_id: botId, external_user_id: `person ${randomUUID()}` };
  const headers = { 'idempotency-key': randomUUID() };
  scripted.respondWith([text('Hello.')]);
  const { conversationId: id } = await chat.say(user, { headers });
  const reader = await chat.listen(id);
  expect(await erase(user.external_user_id)).toMatchObject(erased(1));
  expect(await reader.ended()).toMatchObject({ complete: true });
  expect((await chat.listen(id)).status).toBe(404);
  expect((await chat.send(user, { headers })).status).toBe(404);
  expect((await chat.send({ ...user, conversation_id: id })).status).toBe(404);
});

it('forgets the answers that were kept for repeated requests of the person', async () => {
  const people = [await makePerson(service), await makePerson(service)] as const;
  scripted.respondWith([text('Hello.')]);
  for (const { token } of people) {
    const headers = { 'idempotency-key': randomUUID() };
    await chat.say({ bot_id: botId, external_user_id: undefined }, { key: token, headers });
  }
  const records = async () => {
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select from idempotency_records where starts_with(key, 'end user')`,
    );
    return rows.length;
  };
  expect(await records()).toBe(2);
  expect(await erase(people[0].userId)).toMatchObject(erased(1));
  expect(await records()).toBe(1);
});

it('ends the streams even if the notification of the deletion is lost', async () => {
  scripted.respondWith([text('Hello.')]);
  const { conversationId: id } = await chat.say({ bot_id: botId });
  const reader = await chat.listen(id, { after: 0 });
  await reader.until('turn.completed');
  const query = service.database.acrossWorkspaces;
  await query.execute(sql`delete from conversations where id = ${id}`);
  await query.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'svc listener' and datname = current_database()`);
  expect(await reader.ended()).toMatchObject({ complete: true });
});

it('a message to a conversation that is being deleted begins a new one, or is 404 if it names the old one', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  scripted.respondWith([text('Hello.')]);
  const { conversationId: id } = await chat.say(user);
  const byName = { external_user_id: user.external_user_id, conversation_id: id };
  const waiting = async () =>
    (
      await service.database.acrossWorkspaces.execute(sql`select from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%append_events%' and datname = current_database()`)
    ).rows.length;
  let sends: ReturnType<typeof chat.send>[] = [];
  await service.database.acrossWorkspaces.transaction(async (tx) => {
    await tx.execute(sql`delete from conversations where id = ${id}`);
    sends = [
      chat.send(user),
      chat.send(user, { headers: { 'idempotency-key': randomUUID() } }),
      chat.send(byName),
    ];
    await expect.poll(waiting, { interval: 20 }).toBe(3);
  });
  const readers = await Promise.all(sends);
  await Promise.all(readers.filter(({ status }) => status === 200).map((reader) => reader.ended()));
  const statuses = readers.map(({ status }) => status);
  // The two that name no conversation find each other: one of them may be busy.
  expect(statuses[2]).toBe(404);
  expect(statuses.slice(0, 2)).toContain(200);
  expect(statuses.slice(0, 2).filter((status) => status !== 200 && status !== 409)).toEqual([]);
});

it('concurrent sends and erasures leave whole conversations only', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  scripted.respondWith([text('Hello.')]);
  let isOver = false;
  const statuses = new Set<number>();
  const write = async () => {
    while (!isOver) {
      const reader = await chat.send(user);
      statuses.add(reader.status);
      if (reader.status === 200) await reader.ended();
    }
  };
  const writers = [write(), write(), write()];
  const answers = [];
  for (const _ of upTo(15)) answers.push(await erase(user.external_user_id));
  isOver = true;
  await Promise.all(writers);
  expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const { rows } = await service.database.acrossWorkspaces.execute<{ id: string }>(
    sql`select id from conversations where external_user_id = ${user.external_user_id}`,
  );
  for (const { id } of rows) {
    const { body } = await service.call(`GET /api/v1/conversations/${id}`);
    const log = await chat.log(id);
    expect(log.map((event) => event.id)).toEqual(upTo(log.length));
    expect(body.message_count).toBe(body.messages.length);
  }
  const { rows: stray } = await service.database.acrossWorkspaces.execute(sql`
    select 'usage' from usage_records u where external_user_id = ${user.external_user_id}
      and not exists (select from conversations c where c.id = u.conversation_id)`);
  expect(stray).toEqual([]);
  expect(await erase(user.external_user_id)).toMatchObject({ status: 200 });
  expect(await tablesContaining(service.database, user.external_user_id)).toEqual([]);
});

it('takes any id, needs conversations:write, and refuses an id that is too long', async () => {
  const odd = `a/b?c#d%20é🙂 ${'x'.repeat(100)}`;
  scripted.respondWith([text('Hello.')]);
  await chat.say({ bot_id: botId, external_user_id: odd });
  const blind = await service.makeKey({ abilities: ['conversations:read', 'chat:write'] });
  expect((await erase(odd, blind)).status).toBe(403);
  expect(await erase(odd)).toMatchObject(erased(1));
  const longest = '🙂'.repeat(200);
  await chat.say({ bot_id: botId, external_user_id: longest });
  expect(await erase(longest)).toMatchObject(erased(1));
  for (const none of ['x'.repeat(201), 'a\0b']) expect((await erase(none)).status).toBe(404);
});

it.each([
  ['of the longest kind', 'x'.repeat(200)],
  ['in any script', '🙂'.repeat(200)],
  ['that is an address', `https://id.example.com/${'/a?b=c&d'.repeat(22)}`],
])('erases a person with an id %s', async (_, user) => {
  const { conversationId } = await chat.say({ bot_id: botId, external_user_id: user });
  expect(await erase(user)).toMatchObject(erased(1));
  expect((await service.call(`GET /api/v1/conversations/${conversationId}`)).status).toBe(404);
});
