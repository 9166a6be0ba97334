import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hang, status as httpStatus, text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { chatWith, namesOf, turnOf } from '../support/chat.ts';
import { refund } from '../support/refund-shop.ts';
import { openSse } from '../support/sse-client.ts';
import { documentedEvents } from './documented-events.ts';
import { useRefundDesk } from './use-refund-desk.ts';

/** What must hold before and after a pause. */
const place = useRefundDesk();
const { desk } = place;
const chat = chatWith(() => place.service);
const status = async (id: string) =>
  (await place.service.call(`GET /api/v1/conversations/${id}`)).body.status;

describe('a turn that waits for approval', () => {
  it('keeps its count of steps across the pause', async () => {
    const bot = await desk.makeBot({ max_steps: 2 });
    const turn = await desk.pause(bot);
    // It continues from what is stored: one of the two replies.
    place.scripted.respondWith(({ body }) =>
      body['tools'] ? [toolCall('refund', { ...refund })] : [text('One refund is made.')],
    );
    await desk.respond(turn.approvalIds[0] ?? '', { action: 'approve' });
    const ended = await desk.ending(turn);
    expect(ended.at(-1)?.event).toBe('turn.completed');
    expect(place.scripted.requests).toHaveLength(2);
    expect(place.scripted.requests[1]?.body['tools']).toBeUndefined();
    expect(ended.at(-2)?.data.message.content).toBe('One refund is made.');
    expect(place.shop.refunds).toHaveLength(1);
  });

  it('is not stopped by a truncation that names no message of its conversation', async () => {
    const bot = await desk.makeBot();
    const [turn, other] = [await desk.pause(bot), await desk.pause(bot)];
    const truncate = (message_id: string) =>
      place.service.call(`POST /api/v1/conversations/${turn.conversationId}/truncate`, {
        body: { message_id },
      });
    for (const id of [randomUUID(), other.userMessageId]) {
      expect(await truncate(id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      expect(await status(turn.conversationId)).toBe('paused');
    }
    expect((await desk.respond(turn.approvalIds[0] ?? '', { action: 'approve' })).status).toBe(200);
    expect((await desk.ending(turn)).at(-1)?.event).toBe('turn.completed');
    expect(place.shop.refunds).toHaveLength(1);
  });

  it('lets a repeat of the send end where the send ended, even if one of its approvals was answered since', async () => {
    const bot = await desk.makeBot();
    const call = { name: 'refund', arguments: { ...refund } };
    place.scripted.enqueue([toolCalls([call, call])]);
    const message = { bot_id: bot.botId, external_user_id: randomUUID() };
    const headers = { 'idempotency-key': randomUUID() };
    const { last, events } = await chat.say(message, { headers });
    expect(last.data.approval_ids).toHaveLength(2);
    await desk.respond(last.data.approval_ids[0], { action: 'deny' });
    const repeat = (seen: number) =>
      chat.send(message, { headers: { ...headers, 'last-event-id': String(seen) } });
    const pausedAt = last.id ?? 0;
    for (const seen of [pausedAt, pausedAt + 1]) {
      expect(await (await repeat(seen)).ended()).toEqual({ complete: true, events: [] });
    }
    expect((await (await repeat(pausedAt - 1)).ended()).events).toEqual([events.at(-1)]);
  });

  it('is named to a caller that sends another message meanwhile', async () => {
    const bot = await desk.makeBot();
    const turn = await desk.pause(bot);
    const { body } = await place.service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    const user = { external_user_id: body.external_user_id };
    const named = [{ conversation_id: turn.conversationId }];
    for (const message of [{ bot_id: bot.botId }, { conversation_id: turn.conversationId }]) {
      for (const more of [{}, { metadata: { a: 'b' } }]) {
        const answer = await chat.send({ ...user, ...message, ...more });
        expect([answer.status, answer.error.code, answer.error.details]).toEqual([
          409,
          'TURN_IN_PROGRESS',
          named,
        ]);
      }
    }
  });
});

describe('a call that was approved', () => {
  it('carries the id of the call as its Idempotency-Key', async () => {
    const turn = await desk.pause(await desk.makeBot(), [refund, { order: 18, amount: 1 }]);
    for (const id of turn.approvalIds) await desk.respond(id, { action: 'approve' });
    const started = (await desk.ending(turn)).filter(({ event }) => event === 'tool.started');
    const ids = new Set(started.map(({ data }) => data.tool_call_id));
    expect(ids.size).toBe(2);
    expect([...ids].filter((id) => !place.shop.idempotencyKeys.has(id))).toEqual([]);
    expect(place.shop.idempotencyKeys).not.toContain(undefined);
  });

  it('fails without a reason where its tool hides errors, and the trace has the reason', async () => {
    const { botId, toolId } = await desk.makeBot({ enable_agent_tracing: true });
    const nowhere = { url: 'http://127.0.0.1:9/refunds', bearer_token: 'another' };
    const { body: tool } = await place.service.call(`GET /api/v1/tools/${toolId}`);
    const configuration = { ...tool.configuration, ...nowhere };
    await place.service.call(`PUT /api/v1/tools/${toolId}`, { body: { configuration } });
    const entry = { tool_type: 'http_request', tool_configuration_id: toolId };
    const assignments = [{ ...entry, tool_error_handling_mode: 'hide' }];
    await place.service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
    const turn = await desk.pause({ botId });
    await desk.respond(turn.approvalIds[0] ?? '', { action: 'approve' });
    const ended = await desk.ending(turn);
    const completed = ended.find(({ event }) => event === 'tool.completed');
    expect(completed?.data).toMatchObject({ status: 'error', result: { error: 'The tool failed.' } });
    const told = place.scripted.requests.at(-1)?.body['messages'] as { role: string; content: string }[];
    expect(told.at(-1)).toMatchObject({ role: 'tool', content: 'The tool failed.' });
    const { body: trace } = await place.service.call(
      `GET /api/v1/conversations/${turn.conversationId}/trace`,
    );
    const step = trace.steps.find(({ type }: { type: string }) => type === 'tool');
    expect(step).toMatchObject({ status: 'error', error: expect.stringContaining('127.0.0.1') });
  });
});

describe('the OpenAPI document', () => {
  it('describes every event of a conversation in which everything happens', async () => {
    const { service, scripted } = place;
    const bot = await desk.makeBot();
    const assignments = [
      { tool_type: 'http_request', tool_configuration_id: bot.toolId },
      { tool_type: 'handoff' },
    ];
    await service.call('POST /api/v1/tools/assign', { body: { bot_id: bot.botId, assignments } });
    const paused = await desk.pause(bot);
    const id = paused.conversationId;
    const reader = await chat.listen(id, { after: 0 });
    await desk.respond(paused.approvalIds[0] ?? '', { action: 'approve' });
    await reader.until('turn.completed');
    const { external_user_id } = (await service.call(`GET /api/v1/conversations/${id}`)).body;
    const message = { conversation_id: id, external_user_id };
    scripted.enqueue([toolCall('handoff', { reason: 'Wants a person' })], [text('Somebody comes.')]);
    await chat.say(message);
    await service.call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'Ann here.' } });
    const handedOff = await chat.say(message);
    await service.call('POST /api/v1/chat/typing', { body: { conversation_id: id } });
    await reader.until('message.typing');
    await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: null } });
    scripted.enqueue([httpStatus(400)]);
    await chat.say(message);
    scripted.enqueue([text('Begun'), hang]);
    const sent = await chat.send(message);
    await sent.until('message.delta');
    const joined = await chat.listen(id);
    await joined.until('stream.snapshot');
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: id } });
    const { events: interrupted } = await sent.ended();
    scripted.enqueue([text('Again.')]);
    const path = `conversations/${id}/messages/${turnOf(interrupted).userMessageId}/regenerate`;
    const again = await openSse(`${service.url}/api/v1/${path}`, { method: 'POST', key: service.key });
    const { messageId } = turnOf((await again.ended()).events);
    await service.call(`PUT /api/v1/conversations/${id}/messages/${messageId}/rating`, {
      body: { rating: 'up' },
    });
    await reader.until('message.rated');
    const log = await chat.log(id);
    const body = { message_id: paused.userMessageId };
    expect((await service.call(`POST /api/v1/conversations/${id}/truncate`, { body })).status).toBe(200);
    await reader.until('conversation.truncated');
    const late = await chat.listen(id, { after: 1 });
    await late.until('stream.gap');
    for (const one of [reader, joined, late]) one.close();

    const documented = await documentedEvents(service);
    const events = [
      ...paused.events,
      ...reader.events,
      ...joined.events,
      ...late.events,
      ...sent.events,
      ...handedOff.events,
      ...again.events,
    ];
    expect(events.flatMap(documented.faultsOfStreamed)).toEqual([]);
    expect(log.flatMap(documented.faultsOfLogged)).toEqual([]);
    // Only an MCP server reports progress.
    expect([...new Set([...namesOf(events), 'tool.progress'])].toSorted()).toEqual(documented.names);
  });
});
