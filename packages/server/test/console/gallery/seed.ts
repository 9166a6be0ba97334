import { expect, vi } from 'vitest';
import { sql } from '../../../src/database/drizzle.ts';
import { knowledgeOf } from '../../knowledge/user.ts';
import type { ScriptedModel } from '../../scripted-model/server.ts';
import { giveTools, makeAgent, readConversation, startRun } from '../../support/agents.ts';
import { chatWith } from '../../support/chat.ts';
import { evaluating } from '../../support/evaluating.ts';
import { makeCall } from '../../support/make-call.ts';
import { makeMember } from '../../support/members.ts';
import { patienceMs } from '../../support/patience.ts';
import type { Shop } from '../../support/refund-shop.ts';
import { openSse } from '../../support/sse-client.ts';
import type { TestApp } from '../../support/test-app.ts';
import { createWidgetKey, openPage, type Page } from '../../widgets/use-widget.ts';
import type { SeededIds } from './gallery-pages.ts';
import { playSeededModel } from './seeded-model.ts';

const prompt = `You help the customers of Acme, a shop for headphones.

## Instructions
- Greet people by name.
- Look an order up before you say anything about it.
- Never promise a date that the carrier has not confirmed.`;

const returns = `# Returns

Goods can be returned within 30 days of delivery.

## Headphones

Opened headphones cannot be sent back, unless they are broken.

## Where is my order

Orders are handed over to the carrier in Cologne and arrive on the next working day.`;

const officeHours = {
  time_zone: 'Europe/Berlin',
  opening_times: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((day) => [
    { day, opens: '09:00', closes: '12:30' },
    { day, opens: '13:30', closes: '18:00' },
  ]),
  closed_text: 'We are here on workdays from 9 to 18. Leave a message, and we will answer then.',
};

/** A visitor with several conversations, who has said who they are. Returns the last one. */
async function seedVisitor(page: Page): Promise<string> {
  const { token } = await page.issueToken();
  for (const message of ['Do you ship to Norway?', 'Where is my order 4711?'])
    await page.say(token, { message, new_conversation: true });
  const id = await page.say(token, { message: 'Where is my order 4712?', new_conversation: true });
  await page.call('POST /api/widget/visitor', {
    token,
    headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0' },
    body: {
      name: 'Mia Wolfeschlegelsteinhausenbergerdorff-Hohenstein',
      email: 'mia.a.very.long.address@department.example.com',
      page_url: 'https://shop.example.com/headphones/over-ear/wireless/aria-2-pro/reviews',
      page_title: 'Aria 2 Pro: reviews · Acme',
    },
  });
  return id;
}

/** Fills the default workspace with something of everything, made through the API. */
export async function seed(service: TestApp, scripted: ScriptedModel, shop: Shop): Promise<SeededIds> {
  playSeededModel(scripted);
  const { call } = service;
  const chat = chatWith(() => service);
  const knowledge = knowledgeOf(() => service);

  await makeMember(service, { role: 'operator', name: 'Grace Hopper', email: 'grace@example.com' });
  await makeMember(service, {
    role: 'viewer',
    name: 'Wolfeschlegelsteinhausenbergerdorff von und zu Hohenstein',
    email: 'a.very.long.address.that.does.not.fit@department.example.com',
  });
  await call('POST /api/v1/keys', { body: { name: 'Website', abilities: ['chat:write'] } });

  const bot = await chat.bot({
    name: 'Support',
    description: 'Answers questions about orders and returns.',
    system_prompt: 'You help the customers of Acme.',
    chat_greeting: 'Hello! Ask me about your order.',
    enable_agent_tracing: true,
  });
  await call(`PUT /api/v1/bots/${bot}`, {
    body: {
      system_prompt: prompt,
      temperature: 0.2,
      enable_agent_tracing: true,
      enable_response_validation: true,
    },
  });
  await chat.bot({
    name: 'مساعد المتجر لخدمة العملاء والإجابة عن جميع الأسئلة حول الطلبات',
    system_prompt: 'كن لطيفًا.',
  });
  const retired = await chat.bot({ name: '客服助手', system_prompt: '请用中文回答。' });
  await call(`DELETE /api/v1/bots/${retired}`);
  const agent = await makeAgent(service, {
    name: 'Restocker',
    agent_goal: 'Restock whatever has run low, and report what was ordered.',
    schedule: 'TZ=Europe/Berlin 0 7 * * 1-5',
    enable_agent_tracing: true,
  });

  const http = (name: string, description: string, configuration: object) => ({
    tool_type: 'http_request',
    name,
    description,
    configuration,
  });
  const object = (properties: object, required: string[]) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  const findOrder = http('find_order', 'Finds an order by its number.', {
    method: 'POST',
    url: `${shop.url}/orders`,
    auth_type: 'bearer',
    bearer_token: 'tok-gallery',
    body_type: 'json',
    body: { number: '{{number}}' },
    parameters: object({ number: { type: 'integer', description: 'The number on the receipt.' } }, [
      'number',
    ]),
    approval: 'never',
  });
  const refundOrder = http('refund_order', 'Refunds an order or a part of it.', {
    method: 'POST',
    url: `${shop.url}/refunds`,
    body_type: 'json',
    body: { order: '{{order}}', amount: '{{amount}}', note: '{{note}}' },
    parameters: object(
      { order: { type: 'integer' }, amount: { type: 'number', maximum: 500 }, note: { type: 'string' } },
      ['order', 'amount'],
    ),
    approval: 'always',
    approval_title: 'Refund {{amount}} on order {{order}}',
  });
  await giveTools(service, bot, [findOrder, refundOrder, 'handoff', 'calculator']);
  await giveTools(service, agent, [{ ...findOrder, name: 'stock' }, 'calculator']);
  const tool = (await call('GET /api/v1/tools')).body.find(
    (one: { name: string }) => one.name === 'find_order',
  ).id;

  const source = await knowledge.addText(returns, { title: 'Returns and shipping', bot_id: bot });
  await knowledge.completed(source);
  const broken = await knowledge.addFile('prices.pdf', '%PDF-1.7\nnot a PDF', { bot_id: bot });
  await knowledge.settled(broken);
  const gone = await knowledge.addText('An offer that ended in May.', { title: 'Spring offer' });
  await knowledge.completed(gone);
  await call(`DELETE /api/v1/knowledge/${gone}`);

  const said = (user: string, message: string, fields: object = {}) =>
    chat.say({ bot_id: bot, external_user_id: user, message, ...fields });
  for (const user of ['مريم', '王小明'])
    await said(user, user === '王小明' ? '你好，可以退货吗？' : 'مرحبا، هل يمكنني إرجاع السماعات؟');
  const refunded = async (user: string, answer: object) => {
    const turn = await said(user, 'Please refund order 4711, it arrived broken.');
    const [approvalId] = turn.last.data.approval_ids;
    await call(`POST /api/v1/hitl/${approvalId}/respond`, { body: answer });
    return turn;
  };
  await refunded('bob@example.com', {
    action: 'approve_edited',
    edited_args: { order: 4711, amount: 20, note: 'Arrived broken' },
  });
  await refunded('carol@example.com', { action: 'deny', text: 'The photo shows another product.' });
  await said('dave@example.com', 'I want to speak with a person.');
  await said('erin@example.com', 'Please break down.');
  const { conversationId: conversation } = await said('alice@example.com', 'Where is my order 4711?');
  const paused = await said('alice@example.com', 'Then please refund it.', { conversation_id: conversation });
  const approval = paused.last.data.approval_ids[0];
  await call(`PATCH /api/v1/conversations/${conversation}`, { body: { labels: ['refund', 'vip'] } });
  const canned = {
    shortcut: 'returns',
    text: 'You can send it back within 30 days.\n{{operator}}, with {{bot}}',
  };
  await call('POST /api/v1/canned-replies', { body: canned });
  await call(`POST /api/v1/conversations/${conversation}/notes`, {
    body: { text: 'She called about the same order yesterday: please be generous.' },
  });
  const taken = await said('frank@example.com', 'Where is my order 4711?');
  const closed = await said('grace@example.com', 'How long do I have?');
  const again = `conversations/${closed.conversationId}/messages/${closed.userMessageId}/regenerate`;
  await (await openSse(`${service.url}/api/v1/${again}`, { method: 'POST', key: service.key })).ended();
  await call(`PATCH /api/v1/conversations/${taken.conversationId}`, {
    body: { needs_human: { reason: 'An old customer' } },
  });
  const { body: rated } = await call(`GET /api/v1/conversations/${closed.conversationId}`);
  await call(`PUT /api/v1/conversations/${rated.id}/messages/${rated.messages.at(-1).id}/rating`, {
    body: { rating: 'down' },
  });
  await call(`PATCH /api/v1/conversations/${closed.conversationId}`, { body: { state: 'resolved' } });
  const strict = await chat.bot({ name: 'Strict', enable_confidence_scoring: true });
  for (const message of ['Please guess.', 'How long do I have?', 'Can I return them?'])
    await chat.say({ bot_id: strict, message });

  for (const payload of ['Run now, please.', 'Run now, only chargers.']) {
    const run = await startRun(service, agent, { payload });
    await over(async () => (await readConversation(service, run)).status);
  }

  const widgetKey = await createWidgetKey(service, bot);
  await call('PUT /api/v1/widgets/customization', {
    body: { bot_id: bot, ask_details: 'outside_hours', office_hours: officeHours },
  });
  const visitor = await seedVisitor(openPage(service, widgetKey.api_key));
  await call('POST /api/v1/machines', { body: { name: 'ada-laptop' } });
  const { scenario, start, read } = evaluating(() => service);
  const scenarioId = await scenario(bot, {
    name: 'Opened headphones',
    turns: ['Can I send opened headphones back?'],
    expected_facts: ['Opened headphones cannot be returned.', 'The answer names the deadline.'],
  });
  await scenario(bot, {
    name: 'Where is my order',
    turns: ['Where is my order 4711?'],
    expected_facts: ['The order is in Cologne.'],
    stand_ins: [{ function: 'find_order', result: { place: 'Cologne' } }],
  });
  const evaluation = await start(bot);
  await over(async () => (await read(bot, evaluation)).status);
  const finishedCall = await makeCall(service, {
    botId: bot,
    heard: 'Where is my parcel?',
    said: 'It is in',
  });
  await makeCall(service, { botId: bot, status: 'no_answer', endReason: 'no_answer', direction: 'outbound' });
  await makeCall(service, { botId: bot, status: 'in_progress', endReason: null, direction: 'web' });
  const number = { phone_number: '+15550100', bot_id: bot, greeting: 'Hello, this is Acme.' };
  await service.call('POST /api/v1/voice/numbers', { body: number });
  await passSlots(service, agent);
  await scatter(service);
  return {
    bot,
    agent,
    conversation,
    taken: taken.conversationId,
    closed: closed.conversationId,
    visitor,
    approval,
    knowledge: source,
    tool,
    scenario: scenarioId,
    evaluation,
    call: finishedCall,
  };
}

/** `expect.poll` works in tests only. */
function over(readStatus: () => Promise<string>): Promise<void> {
  return vi.waitFor(async () => expect(['running', 'paused']).not.toContain(await readStatus()), {
    timeout: patienceMs,
  });
}

/** The last days of a schedule, some of which did not go well. */
async function passSlots({ database }: TestApp, agentId: string): Promise<void> {
  await database.acrossWorkspaces.execute(sql`
    insert into schedule_slots (bot_id, workspace_id, slot_at, noted_at, outcome, reason)
    select bots.id, bots.workspace_id, day, day + interval '1 second',
      case when extract(day from day)::int % 5 = 0 then 'failed' when extract(day from day)::int % 3 = 0 then 'skipped_busy' else 'skipped_late' end,
      case when extract(day from day)::int % 5 = 0 then 'The balance is used up.' else 'A run was in progress.' end
    from bots, generate_series(date_trunc('day', now()) - interval '12 days', now(), interval '1 day') as day
    where bots.id = ${agentId}`);
}

/** Spreads what was said over the last days, as it would be in a workspace that has been used for a while. */
async function scatter({ database }: TestApp): Promise<void> {
  await database.acrossWorkspaces.execute(sql`
    with spread as (select id, (row_number() over (order by created_at desc) - 1) * interval '5 hours' as back from conversations)
    update conversations set created_at = created_at - back, updated_at = updated_at - back
    from spread where spread.id = conversations.id and spread.back > interval '0'`);
  for (const table of ['usage_records', 'quality_records']) {
    await database.acrossWorkspaces.execute(sql`
      with spread as (select id, (row_number() over (order by created_at desc) - 1) * interval '7 hours' as back
        from ${sql.identifier(table)})
      update ${sql.identifier(table)} as scattered set created_at = created_at - back from spread where spread.id = scattered.id`);
  }
}
