import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, durable, idsOf, namesOf, scriptedEnvironment, upTo } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await makeBot();
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const noUsage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };

async function makeBot(fields: object = {}): Promise<string> {
  const id = await chat.bot(fields);
  const assignments = [{ tool_type: 'handoff' }];
  await service.call('POST /api/v1/tools/assign', { body: { bot_id: id, assignments } });
  return id;
}

/** A conversation whose bot has asked for a person. The model answers nothing further. */
async function handOff(bot = botId) {
  const user = { bot_id: bot, external_user_id: randomUUID() };
  scripted.enqueue([toolCall('handoff', { reason: 'Wants a refund' })], [text('Somebody comes.')]);
  const { conversationId: id, events } = await chat.say({ ...user, message: 'A person, please' });
  scripted.reset();
  return { user, id, lastEvent: events.at(-1)?.id ?? 0 };
}

const read = async (id: string) => (await service.call(`GET /api/v1/conversations/${id}`)).body;

it('a message is stored and shown to operators, and its turn completes without a model', async () => {
  const { user, id, lastEvent } = await handOff();
  const reader = await chat.listen(id, { after: lastEvent });
  const turn = await chat.say({ ...user, message: 'Is anybody there?' });
  expect(turn.events).toEqual([
    {
      id: lastEvent + 1,
      event: 'turn.started',
      data: {
        turn_id: turn.turnId,
        conversation_id: id,
        bot_id: botId,
        user_message: expect.objectContaining({ role: 'user', content: 'Is anybody there?' }),
      },
    },
    {
      id: lastEvent + 2,
      event: 'turn.completed',
      data: {
        turn_id: turn.turnId,
        message_id: null,
        usage: noUsage,
        cost_usd: '0',
        handed_off: true,
      },
    },
  ]);
  await reader.until('turn.completed');
  reader.close();
  expect(durable(reader.events)).toEqual(turn.events);
  expect((await chat.log(id, lastEvent)).map(({ created_at: _at, ...event }) => event)).toEqual(turn.events);
  const conversation = await read(id);
  expect(conversation).toMatchObject({
    status: 'idle',
    needs_human: { reason: 'Wants a refund' },
    message_count: 5,
  });
  expect(conversation.messages.at(-1)).toMatchObject({ role: 'user', content: 'Is anybody there?' });
  const queue = await service.call('GET /api/v1/conversations?needs_human=true');
  expect(queue.body.map((one: { id: string }) => one.id)).toContain(id);

  // Named or not, and after an operator has answered.
  const message = { external_user_id: user.external_user_id, conversation_id: id };
  await service.call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'One moment.' } });
  expect((await chat.say(message)).last.data).toMatchObject({ handed_off: true });
  expect(idsOf(await chat.log(id))).toEqual(upTo(lastEvent + 5));
  expect(scripted.requests).toEqual([]);
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select status, steps, reply_ids, reserved_usd::float8 as reserved, ended_at is not null as ended
    from turns where id = ${turn.turnId}`,
  );
  expect(rows).toEqual([{ status: 'completed', steps: 0, reply_ids: [], reserved: 0, ended: true }]);
});

it('a new conversation of the same user is answered by the bot', async () => {
  const { user } = await handOff();
  scripted.respondWith([text('Hello again.')]);
  const fresh = await chat.say({ ...user, new_conversation: true });
  expect(fresh).toMatchObject({ text: 'Hello again.', last: { data: { handed_off: false } } });
});

it('a turn that runs when its bot asks for a person continues to its end', async () => {
  const { user, id, lastEvent } = await handOff();
  await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: null } });
  scripted.enqueue([toolCall('handoff', { reason: 'Again' })], [text('Somebody comes again.')]);
  const { events } = await chat.say(user);
  expect(namesOf(durable(events)).slice(-3)).toEqual([
    'tool.completed',
    'message.completed',
    'turn.completed',
  ]);
  expect(events.at(-1)?.data).toMatchObject({ handed_off: false, message_id: expect.any(String) });
  expect(events.at(-1)?.id).toBe(lastEvent + 2 + 8);
});

it('a repeat with the same Idempotency-Key attaches to the same completed turn', async () => {
  const { user, id, lastEvent } = await handOff();
  const headers = { 'idempotency-key': randomUUID() };
  const first = await chat.say(user, { headers });
  expect(namesOf(first.events)).toEqual(['turn.started', 'turn.completed']);
  expect((await chat.say(user, { headers })).events).toEqual(first.events);
  expect(idsOf(await chat.log(id))).toEqual(upTo(lastEvent + 2));
  const seen = { ...headers, 'last-event-id': String(lastEvent + 2) };
  const late = await chat.send(user, { headers: seen });
  expect((await late.ended()).events).toEqual([]);
  expect(scripted.requests).toEqual([]);
});

it('many messages at once are all stored, one turn each', async () => {
  const { user, id, lastEvent } = await handOff();
  const messages = upTo(20).map((number) => `Message ${number}`);
  const turns = await Promise.all(messages.map((message) => chat.say({ ...user, message })));
  expect(new Set(turns.map(({ turnId }) => turnId)).size).toBe(20);
  expect(idsOf(await chat.log(id))).toEqual(upTo(lastEvent + 40));
  const stored = (await read(id)).messages.slice(4).map(({ content }: { content: string }) => content);
  expect(stored.toSorted()).toEqual(messages.toSorted());
  expect(scripted.requests).toEqual([]);
});

it('a bot without a model or with an unreachable machine does not keep messages from people', async () => {
  const bot = await makeBot();
  const { user, id } = await handOff(bot);
  await service.database.acrossWorkspaces.execute(
    sql`update bots set settings = settings || '{"model": "anthropic/claude-sonnet-4-5"}' where id = ${bot}`,
  );
  expect((await chat.say(user)).last.data).toMatchObject({ handed_off: true });
  const byId = { external_user_id: user.external_user_id, conversation_id: id };
  expect((await chat.say(byId)).last.data).toMatchObject({ handed_off: true });
  const machine = { code_machine_id: randomUUID() };
  expect((await chat.say({ ...user, ...machine })).last.data).toMatchObject({ handed_off: true });
  expect(await chat.send({ ...user, external_user_id: randomUUID() })).toMatchObject({ status: 503 });

  await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: null } });
  expect(await chat.send(byId)).toMatchObject({ status: 503 });
  expect((await read(id)).messages.at(-1)).toMatchObject({ role: 'user' });
  expect(scripted.requests).toEqual([]);
});

it('an empty balance does not keep messages from people, and nothing is reserved or charged', async () => {
  const { user } = await handOff();
  await service.database.acrossWorkspaces.execute(sql`update workspaces set credit_usd = 0`);
  try {
    const turn = await chat.say({ ...user, message: 'Still there?' });
    expect(turn.last.data).toMatchObject({ handed_off: true, cost_usd: '0' });
    const headers = { 'idempotency-key': randomUUID() };
    expect((await chat.say(user, { headers })).last.data).toMatchObject({ handed_off: true });
    expect(await chat.send({ ...user, new_conversation: true })).toMatchObject({ status: 402 });
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select (select count(*)::int from usage_records where turn_id = ${turn.turnId}) as records,
        (select coalesce(sum(reserved_usd), 0)::float8 from billing_accounts) as reserved`,
    );
    expect(rows).toEqual([{ records: 0, reserved: 0 }]);
  } finally {
    await service.database.acrossWorkspaces.execute(sql`update workspaces set credit_usd = null`);
  }
  expect(scripted.requests).toEqual([]);
});

it('an inactive bot is refused even then', async () => {
  const bot = await makeBot();
  const { user } = await handOff(bot);
  await service.call(`PUT /api/v1/bots/${bot}`, {
    body: { name: 'Bot', system_prompt: 'x', status: 'inactive' },
  });
  expect(await chat.send(user)).toMatchObject({ status: 409 });
});

it('events of earlier releases get the fields that they were stored without', async () => {
  const { id } = await handOff();
  const [before] = await chat.log(id);
  await service.database.acrossWorkspaces.execute(sql`
    update events set data = (data::jsonb - 'handed_off' #- '{user_message,author_name}' #- '{message,author_name}'
      #- '{user_message,rating}' #- '{message,rating}')::json
    where conversation_id = ${id}`);
  const log = await chat.log(id);
  expect(log[0]).toEqual(before);
  expect(log.at(-1)?.data).toMatchObject({ handed_off: false });
  expect(log.find(({ event }) => event === 'message.completed')?.data.message).toMatchObject({
    author_name: null,
    rating: null,
  });
});
