import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, type Message, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { transactionsNaming } from './watch-transactions.ts';

let scripted: ScriptedModel;
let played: HandPlayedModel;
let service: TestApp;
/** The same service with a model that waits for the test. */
let waiting: TestApp;
let botId: string;
const chat = chatWith(() => service);
const slowly = chatWith(() => waiting);
beforeAll(async () => {
  scripted = await startScriptedModel();
  scripted.respondWith([text('Yes.')]);
  played = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  waiting = await startTestApp({ environment: scriptedEnvironment(played) });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await waiting.stop();
  await scripted.close();
  await played.close();
});

async function rows(): Promise<unknown> {
  const found = await service.database.acrossWorkspaces.execute(
    sql`select (select count(*) from conversations) as c, (select count(*) from turns) as t,
        (select count(*) from events) as e, (select count(*) from messages) as m`,
  );
  return found.rows[0];
}

/** A plain HTTP error, with nothing written and no model asked. */
async function refuses(message: Message, status: number, body: object): Promise<void> {
  const before = { rows: await rows(), asked: scripted.requests.length };
  const answer = await chat.send(message);
  expect({ status: answer.status, body: answer.error }).toMatchObject({
    status,
    body: { success: false, request_id: expect.any(String), message: expect.any(String), ...body },
  });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect({ rows: await rows(), asked: scripted.requests.length }).toEqual(before);
}

const invalid = (path: string) => ({
  code: 'VALIDATION_FAILED',
  details: [expect.objectContaining({ path })],
});

it('an unknown bot, another workspace’s bot, an inactive bot', async () => {
  await refuses({ bot_id: randomUUID() }, 404, { code: 'NOT_FOUND' });
  const other = await service.makeWorkspace();
  const theirs = await service.call('POST /api/v1/bots', {
    key: other.key,
    body: { name: 'x', system_prompt: 'x' },
  });
  await refuses({ bot_id: theirs.body.id }, 404, { code: 'NOT_FOUND' });
  const inactive = await chat.bot({ status: 'inactive' });
  await refuses({ bot_id: inactive }, 409, { code: 'BOT_INACTIVE' });
});

it('a bot that became inactive, in one of its conversations', async () => {
  const retired = await chat.bot();
  const { conversationId } = await chat.say({ bot_id: retired, external_user_id: 'rita' });
  expect((await service.call(`DELETE /api/v1/bots/${retired}`)).status).toBe(200);
  const message = { conversation_id: conversationId, external_user_id: 'rita' };
  await refuses(message, 409, { code: 'BOT_INACTIVE' });
});

it.each<[string, Message, string]>([
  ['neither bot nor conversation', {}, 'bot_id'],
  ['a bot id that is none', { bot_id: 'me' }, 'bot_id'],
  ['an empty message', { message: '' }, 'message'],
  ['a message of 32,001 characters', { message: 'x'.repeat(32_001) }, 'message'],
  ['a message that is not a string', { message: 5 as unknown as string }, 'message'],
  ['an empty user', { external_user_id: '' }, 'external_user_id'],
  ['an unknown field', { mesage: 'x' }, 'mesage'],
  ['a coerced boolean', { new_conversation: 'true' as unknown as boolean }, 'new_conversation'],
])('%s', async (name, message, path) => {
  const bot = name.startsWith('neither') ? {} : { bot_id: botId };
  await refuses({ ...bot, ...message }, 400, invalid(path));
});

it.each(['a\0b', 'half \ud83d', '\udc00'])('text that cannot be stored: %j', (message) =>
  refuses({ bot_id: botId, message }, 400, invalid('message')),
);

it('accepts a message of 32,000 characters, counted as characters', async () => {
  const { last } = await chat.say({ bot_id: botId, message: '🙂'.repeat(32_000) });
  expect(last.event).toBe('turn.completed');
});

it.each([{ a: 1 }, [], 'x', { a: 'x'.repeat(8_192) }, null])('metadata %j', (metadata) =>
  refuses({ bot_id: botId, metadata }, 422, { code: 'METADATA_INVALID' }),
);

it('a conversation that is not the user’s, not the bot’s, not there, or a run', async () => {
  const { conversationId } = await chat.say({ bot_id: botId, external_user_id: 'bob' });
  const bobs = { conversation_id: conversationId, external_user_id: 'bob' };
  await refuses({ ...bobs, external_user_id: 'eve' }, 404, { code: 'NOT_FOUND' });
  await refuses({ ...bobs, bot_id: await chat.bot() }, 400, invalid('bot_id'));
  await refuses({ ...bobs, new_conversation: true }, 400, invalid('new_conversation'));
  await refuses({ ...bobs, conversation_id: randomUUID() }, 404, { code: 'NOT_FOUND' });
  await service.database.acrossWorkspaces.execute(
    sql`update conversations set channel = 'agent' where id = ${conversationId}`,
  );
  await refuses(bobs, 400, invalid('conversation_id'));
});

it('a model whose provider is not configured', async () => {
  const bot = await chat.bot();
  await service.database.acrossWorkspaces.execute(
    sql`update bots set settings = '{"model":"anthropic/claude-sonnet-4-5"}' where id = ${bot}`,
  );
  await refuses({ bot_id: bot }, 503, { code: 'NO_MODEL_CONFIGURED' });
});

it('a key without the ability', async () => {
  const key = await service.makeKey({ abilities: ['conversations:read'] });
  const answer = await chat.send({ bot_id: botId }, { key });
  expect([answer.status, answer.error.code]).toEqual([403, 'FORBIDDEN']);
});

it('of 20 concurrent sends to one conversation exactly one runs, and a later one works', async () => {
  const bot = await slowly.bot();
  const opening = await slowly.send({ bot_id: bot, external_user_id: 'race' });
  (await played.next()).finish();
  const { events } = await opening.ended();
  const conversation_id = events[0]?.data.conversation_id;
  const race = { conversation_id, external_user_id: 'race' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => slowly.send(race)));
  const [winner, ...others] = answers.toSorted((left, right) => left.status - right.status);
  expect(winner?.status).toBe(200);
  expect(others.map(({ status, error }) => [status, error.code, error.details])).toEqual(
    Array.from({ length: 19 }, () => [409, 'TURN_IN_PROGRESS', [{ conversation_id }]]),
  );
  // The latest conversation, which is the default, is just as busy.
  const latest = await slowly.send({ bot_id: bot, external_user_id: 'race' });
  expect([latest.status, latest.error.code]).toEqual([409, 'TURN_IN_PROGRESS']);
  const asked = await transactionsNaming(async () => {
    await slowly.send(race);
    return [conversation_id];
  });
  expect(asked.flat().filter((statement) => statement.includes('insert into turns'))).toHaveLength(1);
  (await played.next()).finish();
  expect(namesOf((await winner?.ended())?.events ?? [])).toContain('turn.completed');
  const next = await slowly.send(race);
  expect(next.status).toBe(200);
  (await played.next()).finish();
  await next.until('turn.completed');
});
