import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { usageRecords } from '../../src/billing/billing.tables.ts';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { eventually, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget, openPage, type Page } from '../widgets/use-widget.ts';

let scripted: ScriptedModel;
let service: TestApp;
let page: Page;
let keyId: string;
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  const { id: widgetKeyId, bot_id: botId, api_key: key } = await createWidget(service);
  const body = { bot_id: botId, assignments: [{ tool_type: 'handoff' }] };
  await service.call('POST /api/v1/tools/assign', { body });
  page = openPage(service, key);
  keyId = widgetKeyId;
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

async function handOff() {
  const { token, visitor_id: visitorId } = await page.issueToken();
  scripted.enqueue([toolCall('handoff', { reason: 'Secret reason' })], [text('Somebody comes.')]);
  const id = await page.say(token, { message: 'A person, please' });
  scripted.reset();
  const send = async (message: object) => {
    const sent = await page.open('/api/widget/messages', { token, body: { message: 'Hello?', ...message } });
    return (await sent.ended()).events;
  };
  return { token, visitorId, id, send };
}

it('a visitor who waits for a person is not answered by the bot, and sees who answers', async () => {
  const { token, id, send } = await handOff();
  const reader = await page.open(`/api/widget/stream?conversation_id=${id}`, { token });
  for (const message of [{}, { conversation_id: id }]) {
    const events = await send(message);
    expect(namesOf(events)).toEqual(['turn.started', 'turn.completed']);
    expect(events.at(-1)?.data).toEqual({
      turn_id: expect.any(String),
      message_id: null,
      handed_off: true,
    });
  }
  const body = { content: 'Your refund is on its way.', author_name: 'Ann' };
  await service.call(`POST /api/v1/conversations/${id}/messages`, { body });
  const written = await reader.until('message.operator');
  expect(written.data.message).toMatchObject({ role: 'operator', author_name: 'Ann' });
  const conversation = await page.call(`GET /api/widget/conversations/${id}`, { token });
  expect(conversation.body).toMatchObject({ needs_human: true });
  expect(conversation.body.messages.at(-1)).toMatchObject({ author_name: 'Ann', content: body.content });
  expect(JSON.stringify([conversation.body, reader.events])).not.toContain('Secret reason');
  expect(scripted.requests).toEqual([]);

  await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: null } });
  await reader.until('conversation.needs_human');
  reader.close();
  scripted.enqueue([text('Glad to help.')]);
  expect((await send({})).at(-1)?.data).toMatchObject({ handed_off: false, message_id: expect.any(String) });
});

it('a visitor who has cost as much as one may can still write to a person', async () => {
  const { visitorId: externalUserId, id, send } = await handOff();
  const { rows } = await service.database.acrossWorkspaces.execute<{ id: string }>(
    sql`select id from workspaces`,
  );
  const usage = { model: 'test', inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costUsd: '1' };
  const record = { id: randomUUID(), workspaceId: rows[0]?.id ?? '', externalUserId, ...usage };
  await service.database.acrossWorkspaces.insert(usageRecords).values(record);
  // Another limit, because the cost was just found to be below the first one.
  await service.call(`PATCH /api/v1/widgets/keys/${keyId}`, { body: { visitor_usd_per_day: '0.5' } });
  const refused = (message: object) => expect(send(message)).rejects.toThrow('visitor_usd_per_day');
  await refused({ new_conversation: true });
  // What is remembered of that ends soon.
  await eventually(async () => namesOf(await send({ conversation_id: id }))).toEqual([
    'turn.started',
    'turn.completed',
  ]);
  expect(namesOf(await send({}))).toEqual(['turn.started', 'turn.completed']);
  await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: null } });
  await refused({});
  await refused({ conversation_id: id });
  await service.call(`PATCH /api/v1/widgets/keys/${keyId}`, { body: { visitor_usd_per_day: '1' } });
  expect(scripted.requests).toEqual([]);
});

it('erasing a visitor ends the stream of the page and deletes the conversation', async () => {
  const { token, visitorId, id } = await handOff();
  const headers = { 'idempotency-key': 'first' };
  await page.say(token, { message: 'Hello?' }, headers);
  const records = async () =>
    (
      await service.database.acrossWorkspaces.execute(
        sql`select from idempotency_records where key like 'end user%'`,
      )
    ).rows.length;
  expect(await records()).toBe(1);
  const reader = await page.open(`/api/widget/stream?conversation_id=${id}`, { token });
  const answer = await service.call(`DELETE /api/v1/end-users/${visitorId}`);
  expect(answer).toMatchObject({ status: 200, body: { deleted_conversations: 1 } });
  expect(await reader.ended()).toMatchObject({ complete: true });
  // The token has ended with the visitor.
  for (const path of [`conversations/${id}`, 'conversations'])
    expect(await page.call(`GET /api/widget/${path}`, { token })).toMatchObject({ status: 401 });
  expect((await service.call(`GET /api/v1/conversations/${id}`)).status).toBe(404);
  expect(await records()).toBe(0);
});
