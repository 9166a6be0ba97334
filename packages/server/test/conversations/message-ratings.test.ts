import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { readAnswerRatings } from '../../src/quality/answer-ratings.store.ts';
import * as script from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { makePerson, sayAs } from '../support/end-users.ts';
import { makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget, openPage } from '../widgets/use-widget.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

/** An answered message. */
async function conversation() {
  scripted.respondWith(() => [script.text('In Cologne.')]);
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const turn = await chat.say({ ...user, message: 'Where is it?' });
  return { ...turn, user, id: turn.conversationId, messageId: turn.messageId ?? '' };
}

type Answer = Pick<Awaited<ReturnType<typeof conversation>>, 'id' | 'messageId'>;

interface Options {
  key?: string;
  headers?: Record<string, string>;
}

const rate = (
  id: string,
  messageId: string,
  rating: unknown,
  { comment, ...options }: Options & { comment?: unknown } = {},
) =>
  service.call(`PUT /api/v1/conversations/${id}/messages/${messageId}/rating`, {
    body: { rating, comment },
    ...options,
  });
const read = async (id: string, key = service.key) =>
  (await service.call(`GET /api/v1/conversations/${id}`, { key })).body;
const ratingsOf = async (id: string, key?: string) =>
  (await read(id, key)).messages.map(({ rating }: { rating: unknown }) => rating);
const announced = async (id: string) =>
  (await chat.log(id))
    .filter(({ event }: { event: string }) => event === 'message.rated')
    .map(({ data }: { data: { rating: unknown } }) => data.rating);

it('is kept as its user gave it last, and announced when it changes', async () => {
  const { id, messageId } = await conversation();
  expect(await ratingsOf(id)).toEqual([null, null]);
  const reader = await chat.listen(id);
  for (const rating of ['up', 'up', 'down', 'down', null, null, 'down'])
    expect(await rate(id, messageId.toUpperCase(), rating)).toMatchObject({ status: 200 });
  expect(await ratingsOf(id)).toEqual([null, 'down']);
  expect(await announced(id)).toEqual(['up', 'down', null, 'down']);
  expect((await reader.until('message.rated')).data).toEqual({ message_id: messageId, rating: 'up' });
  reader.close();
});

it('has a comment on what was wrong, which only the team sees and another rating removes', async () => {
  const { id, user, messageId } = await conversation();
  const own = await makePerson(service, { userId: user.external_user_id });
  const comment = async (key?: string) => (await read(id, key)).messages.at(-1).rating_comment;
  const give = (rating: unknown, said?: unknown) =>
    rate(id, messageId, rating, { key: own.token, comment: said });
  await give('down');
  expect(await comment()).toBeUndefined();
  expect((await give('down', '  The price is wrong.  ')).status).toBe(200);
  expect(await comment()).toBe('The price is wrong.');
  // To repeat the rating changes nothing.
  await give('down');
  expect(await comment()).toBe('The price is wrong.');
  expect(await comment(own.token)).toBeUndefined();
  await give('down', 'Not only the price.');
  expect(await comment()).toBe('Not only the price.');
  expect(JSON.stringify(await chat.log(id))).not.toContain('price');
  expect(await announced(id)).toEqual(['down', 'down', 'down']);
  const exported = await fetch(`${service.url}/api/v1/end-users/${user.external_user_id}/export`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  expect(await exported.text()).toContain('Not only the price.');
  for (const [rating, said, path] of [
    ['up', 'Great.', 'comment'],
    [null, 'Great.', 'comment'],
    ['down', 'x'.repeat(501), 'comment'],
    ['down', 1, 'comment'],
  ] as const)
    expect(await give(rating, said), String(rating)).toMatchObject({
      status: 400,
      body: { details: [{ path }] },
    });
  scripted.respondWith(() => [script.text('In Bonn.')]);
  const { requests } = scripted;
  await chat.say({ ...user, message: 'And now?' });
  expect(JSON.stringify(requests)).not.toContain('Not only the price.');
  for (const next of ['up', null]) {
    await give('down', 'Again.');
    await give(next);
    const { messages } = await read(id);
    expect(messages[1]).toMatchObject({ rating: next });
    expect(messages[1].rating_comment).toBeUndefined();
  }
});

it('can be given by end users, of their own conversations alone', async () => {
  const { id, user, messageId, userMessageId } = await conversation();
  const own = await makePerson(service, { userId: user.external_user_id });
  expect(await rate(id, messageId, 'down', { key: own.token })).toMatchObject({ status: 200 });
  expect(await ratingsOf(id, own.token)).toEqual([null, 'down']);
  const stranger = await makePerson(service);
  const elsewhere = await service.makeWorkspace();
  const reader = await service.makeKey({ abilities: ['conversations:read'] });
  const other = await conversation();
  for (const [answer, status] of [
    [await rate(id, messageId, 'up', { key: stranger.token }), 404],
    [await rate(id, messageId, 'up', { key: elsewhere.key }), 404],
    [await rate(id, messageId, 'up', { key: reader }), 403],
    [await rate(other.id, messageId, 'up'), 404],
    [await rate(id, other.messageId, 'up', { key: own.token }), 404],
    [await rate(id, randomUUID(), 'up'), 404],
    [await rate(id, userMessageId, 'up', { key: own.token }), 400],
    [await rate(id, messageId, 'sideways'), 400],
    [await rate(id, messageId, undefined), 400],
  ] as const)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  const owner = await makeMember(service, { role: 'owner' });
  expect(
    await owner.call(`PUT /api/v1/conversations/${id}/messages/${messageId}/rating`, {
      body: { rating: 'up' },
    }),
  ).toMatchObject({ status: 403 });
  expect(await ratingsOf(id)).toEqual([null, 'down']);
});

it('is refused for everything but an answer, by the name of the field', async () => {
  const { id, userMessageId } = await conversation();
  const written = await service.call(`POST /api/v1/conversations/${id}/messages`, {
    body: { content: 'A person here.' },
  });
  for (const messageId of [userMessageId, written.body.id])
    expect(await rate(id, messageId, 'up')).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path: 'message_id' }] },
    });
  const note = await service.call(`POST /api/v1/conversations/${id}/notes`, { body: { text: 'Hm.' } });
  expect(await rate(id, note.body.id, 'up')).toMatchObject({ status: 404 });
  expect(await announced(id)).toEqual([]);
});

it('does not disturb a turn that runs, and one that is put aside cannot be rated', async () => {
  const { id, user, messageId } = await conversation();
  scripted.respondWith(() => [script.text('So far'), { type: 'hang' }]);
  const reader = await chat.send({ ...user, message: 'And now?' });
  await reader.until('message.delta');
  expect(await rate(id, messageId, 'up')).toMatchObject({ status: 200 });
  await service.call('POST /api/v1/chat/stop', { body: { conversation_id: id } });
  const { events } = await reader.ended();
  // The stream of a turn has what belongs to it.
  expect(namesOf(events)).not.toContain('message.rated');
  expect(await announced(id)).toEqual(['up']);
  expect(namesOf(events).at(-1)).toBe('turn.interrupted');
  expect(await ratingsOf(id)).toEqual([null, 'up', null, null]);
  scripted.respondWith(() => [script.text('In Bonn.')]);
  const again = await service.call(`POST /api/v1/conversations/${id}/messages/${messageId}/regenerate`);
  expect(again.status).toBe(200);
  expect(await rate(id, messageId, 'down')).toMatchObject({ status: 404 });
  expect(await ratingsOf(id)).toEqual([null, null]);
});

it('selects conversations, also of views, and is part of exports', async () => {
  const [good, bad, plain] = [await conversation(), await conversation(), await conversation()];
  await rate(good.id, good.messageId, 'up');
  await rate(bad.id, bad.messageId, 'down');
  const owner = await makeMember(service, { role: 'owner' });
  const listed = async (query: string) => {
    const answers = [
      await owner.call(`GET /api/console/conversations?${query}`),
      await service.call(`GET /api/v1/conversations?${query}`),
    ];
    return answers.map(({ body }) => body.map(({ id }: { id: string }) => id));
  };
  for (const [rating, one] of [
    ['up', good],
    ['down', bad],
  ] as const)
    for (const ids of await listed(`rating=${rating}`)) {
      expect(ids).toContain(one.id);
      expect(ids).not.toContain(plain.id);
      expect(ids).not.toContain((one === good ? bad : good).id);
    }
  expect(await service.call('GET /api/v1/conversations?rating=best')).toMatchObject({ status: 400 });
  const person = await makePerson(service, { userId: bad.user.external_user_id });
  expect(await service.call('GET /api/v1/conversations?rating=down', { key: person.token })).toMatchObject({
    status: 403,
    body: { details: [{ path: 'rating' }] },
  });
  const view = { name: randomUUID().slice(0, 30), filter: { rating: 'down' } };
  expect(await owner.call('POST /api/v1/conversation-views', { body: view })).toMatchObject({
    status: 201,
  });
  const exported = await fetch(`${service.url}/api/v1/end-users/${bad.user.external_user_id}/export`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  expect(await exported.text()).toMatch(/"rating" ?: ?"down"/);
  // What is put aside does not count.
  await service.call(`POST /api/v1/conversations/${bad.id}/messages/${bad.messageId}/regenerate`);
  for (const ids of await listed('rating=down')) expect(ids).not.toContain(bad.id);
});

it('can be given by visitors, a limited number of times a minute', async () => {
  scripted.respondWith(() => [script.text('In Cologne.')]);
  const { api_key } = await createWidget(service);
  const page = openPage(service, api_key);
  const { token } = await page.issueToken();
  const id = await page.say(token);
  const { body } = await page.call(`GET /api/widget/conversations/${id}`, { token });
  const [question, answer] = body.messages;
  expect(answer).toMatchObject({ role: 'assistant', rating: null });
  const give = (message_id: string, rating: unknown, as = token, headers = {}) =>
    page.call('POST /api/widget/rating', {
      token: as,
      headers,
      body: { conversation_id: id, message_id, rating },
    });
  expect(await give(answer.id, 'down')).toMatchObject({ status: 200 });
  expect(await give(question.id, 'down')).toMatchObject({ status: 400 });
  const stranger = await page.issueToken();
  expect(await give(answer.id, 'up', stranger.token)).toMatchObject({ status: 404 });
  expect(await ratingsOf(id)).toEqual([null, 'down']);
  const stream = await page.open(`/api/widget/stream?conversation_id=${id}&after=0`, { token });
  expect((await stream.until('message.rated')).data).toEqual({ message_id: answer.id, rating: 'down' });
  stream.close();
  // Once with an Idempotency-Key.
  const headers = { 'idempotency-key': randomUUID() };
  await give(answer.id, 'up', token, headers);
  await give(answer.id, 'down');
  expect(await give(answer.id, 'up', token, headers)).toMatchObject({ status: 200 });
  expect(await give(answer.id, null, token, headers)).toMatchObject({ status: 409 });
  expect(await ratingsOf(id)).toEqual([null, 'down']);
  let status = 200;
  for (let count = 0; count < 40 && status === 200; count += 1)
    ({ status } = await give(answer.id, count % 2 ? 'down' : 'up'));
  expect(status).toBe(429);
  // Others still can.
  const other = await sayAs(service, await makePerson(service), { bot_id: botId, message: 'x' });
  expect(await rate(other.conversationId, other.messageId ?? '', 'up')).toMatchObject({ status: 200 });
});

it('is counted for operators by bot and time, with the latest comments', async () => {
  const operator = await makeMember(service, { role: 'operator' });
  const own = await chat.bot();
  const answered = async () => {
    scripted.respondWith(() => [script.text('In Cologne.')]);
    const turn = await chat.say({ bot_id: own, external_user_id: randomUUID(), message: 'Where is it?' });
    return { id: turn.conversationId, messageId: turn.messageId ?? '' };
  };
  const report = async (query: string) =>
    (await operator.call(`GET /api/console/quality?${query}`)).body.ratings;
  expect(await report(`bot_id=${own}`)).toEqual({ up: 0, down: 0, comments: [] });
  const answers: Answer[] = [];
  for (let count = 0; count < 8; count += 1) answers.push(await answered());
  const [good, plain, aside, old, ...bad] = answers as [Answer, Answer, Answer, Answer, ...Answer[]];
  await rate(good.id, good.messageId, 'up');
  for (const one of [plain, aside, old])
    await rate(one.id, one.messageId, 'down', { comment: 'Out of sight' });
  await rate(plain.id, plain.messageId, 'down', { comment: '' });
  await service.call(`POST /api/v1/conversations/${aside.id}/messages/${aside.messageId}/regenerate`);
  await service.database.acrossWorkspaces.execute(
    sql`update messages set created_at = now() - interval '8 days' where id = ${old.messageId}`,
  );
  for (const [index, one] of bad.entries())
    await rate(one.id, one.messageId, 'down', { comment: `Reason ${index}` });
  const week = await report(`bot_id=${own}&days=7`);
  expect(week).toMatchObject({ up: 1, down: 5 });
  expect(week.comments).toEqual(
    bad
      .map(({ id, messageId }, index) => ({
        bot_id: own,
        conversation_id: id,
        message_id: messageId,
        comment: `Reason ${index}`,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      }))
      .toReversed(),
  );
  const month = await report(`bot_id=${own}&days=30`);
  expect(month).toMatchObject({ up: 1, down: 6 });
  // No more than five.
  expect(month.comments).toHaveLength(5);
  const other = await makeMember(service, { role: 'owner', workspaceId: (await service.makeWorkspace()).id });
  expect((await other.call('GET /api/console/quality')).body.ratings).toEqual({
    up: 0,
    down: 0,
    comments: [],
  });
});

it('is counted without reading those that were given before, however many there are', async () => {
  const { id: workspaceId, key } = await service.makeWorkspace();
  const body = { name: 'x', system_prompt: 'x' };
  const bot = (await service.call('POST /api/v1/bots', { key, body })).body.id;
  const conversationId = randomUUID();
  const { acrossWorkspaces } = service.database;
  await acrossWorkspaces.execute(sql`insert into conversations (id, workspace_id, bot_id, channel, title)
    values (${conversationId}, ${workspaceId}, ${bot}, 'chat', 'x')`);
  await acrossWorkspaces.execute(sql`
    insert into messages (id, workspace_id, conversation_id, sequence, role, content, created_at, rating)
    select gen_random_uuid(), ${workspaceId}, ${conversationId}, n, 'assistant', 'x', now() - n * interval '1 hour', 'up'
    from generate_series(1, 5000) n`);
  await acrossWorkspaces.execute(sql`analyze messages`);
  // With row-level security, as requests have it.
  const query = service.database.within(workspaceId);
  const since = new Date(Date.now() - 7 * 86_400_000);
  const plan: unknown[] = [];
  const explained = {
    async execute(statement: Parameters<Queryable['execute']>[0]) {
      plan.push((await query.execute(sql`explain ${statement}`)).rows);
      return query.execute(statement);
    },
  } as Queryable;
  expect(await readAnswerRatings(explained, workspaceId, { botId: bot, since })).toMatchObject({ up: 167 });
  expect(JSON.stringify(plan)).toMatch(/messages_rated[^]*Index Cond:[^"]*created_at/);
});
