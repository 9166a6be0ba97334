import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as script from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget, openPage, type Page } from './use-widget.ts';

let scripted: ScriptedModel;
let service: TestApp;
let page: Page;
let replies = 0;
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  page = openPage(service, (await createWidget(service)).api_key);
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const answerAll = () =>
  scripted.respondWith((request) => [
    script.text(`Reply ${(replies += 1)} to ${askedBy(request).at(-1)?.content}`),
  ]);

async function conversation() {
  answerAll();
  const { token } = await page.issueToken();
  const id = await page.say(token, { message: 'one' });
  await page.say(token, { conversation_id: id, message: 'two' });
  return { token, id, messages: (await read(id, token)).messages };
}

const read = async (id: string, token: string) =>
  (await page.call(`GET /api/widget/conversations/${id}`, { token })).body;
const contents = async (id: string, token: string) =>
  (await read(id, token)).messages.map(({ content }: { content: string }) => content);
const branchesOf = async (id: string, token: string) =>
  (await page.call(`GET /api/widget/branches?conversation_id=${id}`, { token })).body;
const choose = (id: string, branch_id: string, token: string) =>
  page.call('POST /api/widget/branches', { token, body: { conversation_id: id, branch_id } });
const send = (token: string, body: object, headers = {}) =>
  page.call('POST /api/widget/messages', { token, body, headers });

it('a message in the place of another one begins a branch, which can be chosen again', async () => {
  const { token, id, messages } = await conversation();
  expect(await read(id, token)).toMatchObject({ has_branches: false });
  expect(await branchesOf(id, token)).toEqual([]);
  const body = { conversation_id: id, message: 'zwei', replaces: messages[2].id };
  const { events } = await (await page.open('/api/widget/messages', { token, body })).ended();
  expect(namesOf(events).filter((name) => name !== 'message.delta')).toEqual([
    'conversation.branched',
    'turn.started',
    'message.completed',
    'turn.completed',
  ]);
  expect(JSON.stringify(events)).not.toContain('cost_usd');
  expect(await contents(id, token)).toEqual(['one', messages[1].content, 'zwei', expect.any(String)]);
  expect(await read(id, token)).toMatchObject({ has_branches: true });
  const [first, second] = await branchesOf(id, token);
  expect([first.text, second.text]).toEqual(['two', 'zwei']);
  const stream = await page.open(`/api/widget/stream?conversation_id=${id}`, { token });
  expect((await choose(id, first.id, token)).status).toBe(200);
  expect((await stream.until('conversation.branched')).data).toMatchObject({ turn_id: null });
  stream.close();
  expect(await contents(id, token)).toEqual(messages.map(({ content }: { content: string }) => content));

  // With the same text it is answered again.
  await page.say(token, { conversation_id: id, message: 'two', replaces: messages[2].id });
  expect(await branchesOf(id, token)).toHaveLength(3);
  expect((await contents(id, token))[3]).not.toBe(messages[3].content);
});

it('is sent once with an Idempotency-Key', async () => {
  const { token, id, messages } = await conversation();
  const headers = { 'idempotency-key': randomUUID() };
  const again = { conversation_id: id, message: 'two', replaces: messages[2].id };
  await page.say(token, again, headers);
  await page.say(token, again, headers);
  expect(await branchesOf(id, token)).toHaveLength(2);
  expect(await contents(id, token)).toHaveLength(4);
});

it('is refused without its conversation, for messages of others, and where branches are', async () => {
  const { token, id, messages } = await conversation();
  const other = await conversation();
  const stranger = (await page.issueToken()).token;
  const replaces = messages[2].id;
  expect(await send(token, { message: 'x', replaces })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'conversation_id' }] },
  });
  const body = { conversation_id: id, message: 'x' };
  for (const [given, as, status] of [
    [{ ...body, replaces: messages[3].id }, token, 400],
    [{ ...body, replaces: other.messages[2].id }, token, 404],
    [{ ...body, replaces: randomUUID() }, token, 404],
    [{ ...body, replaces }, stranger, 404],
    [{ ...body, conversation_id: other.id, replaces: other.messages[2].id }, token, 404],
  ] as const)
    expect((await send(as, given)).status).toBe(status);
  await page.say(token, { ...body, replaces });
  const [first] = await branchesOf(id, token);
  expect(
    await page.call(`GET /api/widget/branches?conversation_id=${id}`, { token: stranger }),
  ).toMatchObject({ status: 404 });
  expect((await choose(id, first.id, stranger)).status).toBe(404);
  expect((await choose(other.id, first.id, other.token)).status).toBe(404);
  await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: { reason: 'Mine.' } } });
  const { messages: now } = await read(id, token);
  for (const answer of [
    await choose(id, first.id, token),
    await send(token, { ...body, replaces: now[0].id }),
  ])
    expect([answer.status, answer.body.code]).toEqual([409, 'BRANCH_REFUSED']);
});

it('counts as a message of the visitor', async () => {
  answerAll();
  const { api_key } = await createWidget(service, { key: { visitor_messages_per_hour: 1 } });
  const limited = openPage(service, api_key);
  const { token } = await limited.issueToken();
  const id = await limited.say(token);
  const { body } = await limited.call(`GET /api/widget/conversations/${id}`, { token });
  const again = { conversation_id: id, message: 'Hello', replaces: body.messages[0].id };
  expect(await limited.call('POST /api/widget/messages', { token, body: again })).toMatchObject({
    status: 429,
  });
});

it('waits for the turn that runs', async () => {
  const { token, id, messages } = await conversation();
  scripted.respondWith(() => [script.text('So far'), { type: 'hang' }]);
  const running = await page.open('/api/widget/messages', {
    token,
    body: { conversation_id: id, message: 'three' },
  });
  await running.until('turn.started');
  const refused = await send(token, { conversation_id: id, message: 'two', replaces: messages[2].id });
  expect([refused.status, refused.body.code]).toEqual([409, 'TURN_IN_PROGRESS']);
  await page.call('POST /api/widget/stop', { token, body: { conversation_id: id } });
  await running.ended();
});
