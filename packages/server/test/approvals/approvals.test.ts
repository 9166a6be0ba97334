import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, idsOf, namesOf, type SaidTurn, scriptedEnvironment, upTo } from '../support/chat.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let shop: OutsideServer;
let refunds: { order: number; amount: number }[];
let botId: string;
let now = new Date();
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  shop = await startOutsideServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      refunds.push(JSON.parse(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"refunded":true}');
    });
  });
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
    clock: { now: () => now },
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  shop.close();
});

beforeEach(async () => {
  scripted.reset();
  refunds = [];
  now = new Date();
  botId = await chat.bot();
  const tool = await service.call('POST /api/v1/tools', {
    body: {
      tool_type: 'http_request',
      name: 'refund',
      description: 'Refunds an order.',
      configuration: {
        method: 'POST',
        url: `${shop.url}/refunds`,
        body_type: 'json',
        body: { order: '{{order}}', amount: '{{amount}}' },
        parameters: {
          type: 'object',
          properties: { order: { type: 'integer' }, amount: { type: 'number', maximum: 100 } },
          required: ['order', 'amount'],
          additionalProperties: false,
        },
        approval: 'always',
      },
    },
  });
  expect(tool).toMatchObject({ status: 201 });
  const assignments = [
    { tool_type: 'http_request', tool_configuration_id: tool.body.id },
    { tool_type: 'calculator' },
  ];
  const assigned = await service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  expect(assigned).toMatchObject({ status: 200 });
});

const refund = { order: 17, amount: 12.5 };

async function pausedTurn(): Promise<SaidTurn & { approvalId: string }> {
  scripted.enqueue([toolCall('refund', refund)], [text('Done as you wished.')]);
  const turn = await chat.say({ bot_id: botId, message: 'Please refund order 17.' });
  expect(turn.last.event).toBe('turn.paused');
  return { ...turn, approvalId: turn.last.data.approval_ids[0] };
}

const respond = (id: string, body: object) => service.call(`POST /api/v1/hitl/${id}/respond`, { body });

async function ending(turn: SaidTurn) {
  const reader = await chat.listen(turn.conversationId, { after: turn.last.id ?? 0 });
  await reader.until(({ event }) => /^turn\.(completed|failed|interrupted)$/.test(event));
  reader.close();
  return reader.events;
}

const toldModel = () => JSON.stringify(scripted.requests.at(-1)?.body['messages']);

describe('a call that needs approval', () => {
  it('pauses the turn, runs nothing, and shows what it would do', async () => {
    const turn = await pausedTurn();
    expect(refunds).toEqual([]);
    expect(namesOf(turn.events)).toEqual([
      'turn.started',
      'message.completed',
      'approval.requested',
      'turn.paused',
    ]);
    expect(idsOf(turn.events)).toEqual(upTo(4));
    const { body } = await service.call(`GET /api/v1/hitl?conversation_id=${turn.conversationId}`);
    expect(body).toEqual([
      {
        id: turn.approvalId,
        conversation_id: turn.conversationId,
        turn_id: turn.turnId,
        bot_id: botId,
        tool_call_id: expect.any(String),
        tool_type: 'http_request',
        tool_name: 'refund',
        title: 'refund',
        title_template: 'refund',
        arguments: refund,
        arguments_schema: expect.objectContaining({ required: ['order', 'amount'] }),
        status: 'pending',
        reason: null,
        context: { kind: 'call', summary: expect.stringContaining('POST http://127.0.0.1') },
        created_at: expect.any(String),
        expires_at: new Date(now.getTime() + 24 * 60 * 60 * 1000).toISOString(),
        resolved_at: null,
        resolved_by: null,
        grant_offer: null,
        grant_id: null,
      },
    ]);
    expect((await service.call('GET /api/v1/hitl')).body).toContainEqual(body[0]);
    const conversation = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    expect(conversation.body.status).toBe('paused');
    expect(
      (await chat.send({ bot_id: botId, conversation_id: turn.conversationId, external_user_id: 'x' }))
        .status,
    ).toBe(404);
    // Otherwise it would expire during another test and take that test's replies.
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: turn.conversationId } });
  });

  it('runs exactly as proposed when it is approved, and the turn continues', async () => {
    const turn = await pausedTurn();
    expect((await respond(turn.approvalId, { action: 'approve' })).body).toEqual({
      id: turn.approvalId,
      status: 'approved',
    });
    const events = await ending(turn);
    expect(namesOf(events).filter((name) => name !== 'message.delta')).toEqual([
      'approval.resolved',
      'turn.resumed',
      'tool.started',
      'tool.completed',
      'message.completed',
      'turn.completed',
    ]);
    expect(refunds).toEqual([refund]);
    expect(toldModel()).toContain('refunded');
  });

  it('runs with a person’s changes, and the model is given the arguments that really ran', async () => {
    const turn = await pausedTurn();
    const edited = { order: 17, amount: 5 };
    expect(
      (await respond(turn.approvalId, { action: 'approve_edited', edited_args: edited })).body.status,
    ).toBe('approved_edited');
    await ending(turn);
    expect(refunds).toEqual([edited]);
    expect(toldModel()).toContain('A person changed the arguments');
    const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    const call = body.messages.find((message: { tool_calls: unknown[] }) => message.tool_calls.length > 0)
      .tool_calls[0];
    expect(call).toMatchObject({ arguments: refund, executed_arguments: edited });
  });

  it('is not run when it is denied: the model is told why and continues', async () => {
    const turn = await pausedTurn();
    await respond(turn.approvalId, { action: 'deny', text: 'Not without a receipt.' });
    const events = await ending(turn);
    expect(refunds).toEqual([]);
    expect(events.find(({ event }) => event === 'tool.completed')?.data.status).toBe('denied');
    expect(toldModel()).toContain('Not without a receipt.');
    expect(events.at(-1)?.event).toBe('turn.completed');
  });

  it.each([
    [{ action: 'approve_edited' }, 'edited_args'],
    [{ action: 'approve_edited', edited_args: { order: 'x', amount: 5 } }, 'edited_args.order'],
    [{ action: 'approve_edited', edited_args: { order: 1, amount: 500 } }, 'edited_args.amount'],
    [{ action: 'approve', edited_args: {} }, 'edited_args'],
    [{ action: 'maybe' }, 'action'],
  ])('stays pending after an invalid answer: %j', async (answer, path) => {
    const turn = await pausedTurn();
    const refused = await respond(turn.approvalId, answer);
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(refused.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
    const { body } = await service.call(`GET /api/v1/hitl?conversation_id=${turn.conversationId}`);
    expect(body).toHaveLength(1);
    await respond(turn.approvalId, { action: 'deny' });
    await ending(turn);
  });

  it('is answered once: of 100 answers at the same time one wins', async () => {
    const turn = await pausedTurn();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        respond(turn.approvalId, { action: index % 2 === 0 ? 'approve' : 'deny' }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const lost of answers.filter(({ status }) => status !== 200)) {
      expect(lost).toMatchObject({
        status: 409,
        body: { code: 'ALREADY_RESOLVED', details: [{ status: won[0]?.body.status }] },
      });
    }
    await ending(turn);
    expect(refunds).toEqual(won[0]?.body.status === 'approved' ? [refund] : []);
  });

  it('counts as denied when nobody answers in time', async () => {
    const turn = await pausedTurn();
    now = new Date(now.getTime() + 24 * 60 * 60 * 1000 + 1);
    const events = await ending(turn);
    expect(events.find(({ event }) => event === 'approval.resolved')?.data.approval).toMatchObject({
      status: 'expired',
      reason: 'Nobody answered in time.',
    });
    expect(refunds).toEqual([]);
    expect(await respond(turn.approvalId, { action: 'approve' })).toMatchObject({ status: 409 });
  });

  it('waits for every answer when there are several, and runs calls without approval immediately', async () => {
    scripted.enqueue(
      [
        toolCalls([
          { name: 'refund', arguments: { order: 1, amount: 1 } },
          { name: 'calculator', arguments: { expression: '1 + 1' } },
          { name: 'refund', arguments: { order: 2, amount: 2 } },
        ]),
      ],
      [text('Both handled.')],
    );
    const turn = await chat.say({ bot_id: botId });
    expect(turn.events.filter(({ event }) => event === 'tool.completed')).toHaveLength(1);
    const [first, second] = turn.last.data.approval_ids;
    await respond(first, { action: 'approve' });
    expect((await service.call(`GET /api/v1/conversations/${turn.conversationId}`)).body.status).toBe(
      'paused',
    );
    expect(refunds).toEqual([]);
    await respond(second, { action: 'deny' });
    await ending(turn);
    expect(refunds).toEqual([{ order: 1, amount: 1 }]);
  });

  it('is cancelled when the turn is stopped, and the conversation is usable again', async () => {
    const turn = await pausedTurn();
    const stop = { body: { conversation_id: turn.conversationId } };
    expect((await service.call('POST /api/v1/chat/stop', stop)).body).toEqual({ stopped: true });
    expect(await respond(turn.approvalId, { action: 'approve' })).toMatchObject({
      status: 409,
      body: { details: [{ status: 'cancelled' }] },
    });
    expect((await service.call(`GET /api/v1/hitl?conversation_id=${turn.conversationId}`)).body).toEqual([]);
    scripted.reset();
    scripted.enqueue([text('Hello again.')]);
    const userId = (await service.call(`GET /api/v1/conversations/${turn.conversationId}`)).body
      .external_user_id;
    const next = await chat.say({ conversation_id: turn.conversationId, external_user_id: userId });
    expect(next.text).toBe('Hello again.');
    expect(refunds).toEqual([]);
  });

  it('is removed by a truncation of the conversation', async () => {
    const turn = await pausedTurn();
    const { body } = await service.call(`POST /api/v1/conversations/${turn.conversationId}/truncate`, {
      body: { message_id: turn.userMessageId },
    });
    expect(body).toMatchObject({ cancelled_approvals: 1, executed_tool_calls: [] });
    expect((await service.call(`GET /api/v1/hitl?conversation_id=${turn.conversationId}`)).body).toEqual([]);
    expect((await respond(turn.approvalId, { action: 'approve' })).status).toBe(404);
  });
});
