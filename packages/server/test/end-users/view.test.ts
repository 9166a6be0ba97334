import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { status, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { makePerson, type Person, sayAs } from '../support/end-users.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import type { SseEvent, SseReader } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Texts that only the team may see, each in its own place. */
const planted = {
  tool: 'plantedtool',
  argument: 'planted-argument',
  edited: 'planted-edited-argument',
  result: 'planted-result',
  denial: 'planted-denial',
  reason: 'planted-reason',
};
const anyPlanted = /planted/i;

let service: TestApp;
let scripted: ScriptedModel;
let outside: OutsideServer;
let botId: string;
let person: Person;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  outside = await startOutsideServer((_request, response) => void response.end(planted.result));
  const environment = { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' };
  service = await startTestApp({ environment });
  botId = await chat.bot();
  await assignTools();
  person = await makePerson(service);
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  outside.close();
});

async function assignTools(): Promise<void> {
  const configuration = {
    method: 'POST',
    url: `${outside.url}/x`,
    parameters: { type: 'object', properties: { order: { type: 'string' } } },
    approval: 'always',
  };
  const tool = await service.call('POST /api/v1/tools', {
    body: { tool_type: 'http_request', name: planted.tool, description: 'x', configuration },
  });
  const assignments = [
    { tool_type: 'http_request', tool_configuration_id: tool.body.id },
    { tool_type: 'handoff' },
  ];
  await service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
}

/** Pauses for an approval, which is answered; the person follows all of it. */
async function talkWithApproval(answer: object): Promise<{ reader: SseReader; conversationId: string }> {
  scripted.enqueue(
    [text('Let me see.'), toolCall(planted.tool, { order: planted.argument })],
    [text('All done.')],
  );
  const turn = await sayAs(service, person, { bot_id: botId, new_conversation: true });
  expect(namesOf(turn.events)).toContain('message.delta');
  expect(turn.last).toMatchObject({ event: 'turn.paused', data: { turn_id: turn.turnId } });
  expect(JSON.stringify(turn.events)).not.toMatch(anyPlanted);
  const { conversationId } = turn;
  const reader = await chat.listen(conversationId, { key: person.token, after: 0 });
  await reader.until('turn.paused');
  const log = await chat.log(conversationId);
  const approval = log.find(({ event }) => event === 'approval.requested')?.data.approval;
  expect(JSON.stringify(approval)).toMatch(planted.argument);
  const answered = await service.call(`POST /api/v1/hitl/${approval.id}/respond`, { body: answer });
  expect(answered.status).toBe(200);
  await reader.until('turn.completed');
  return { reader, conversationId };
}

/** Everything that the person can read of a conversation, as text. */
async function seenOf(conversationId: string): Promise<string> {
  const key = person.token;
  const answers = [
    await service.call(`GET /api/v1/conversations/${conversationId}`, { key }),
    await service.call(`GET /api/v1/chat/events?conversation_id=${conversationId}`, { key }),
    await service.call('GET /api/v1/conversations', { key }),
  ];
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  return JSON.stringify(answers.map(({ body }) => body));
}

const fieldsOf = (events: readonly SseEvent[], name: string) =>
  Object.keys(events.find(({ event }) => event === name)?.data ?? {}).toSorted();

describe('an end user never sees', () => {
  it('a tool, its arguments, its result or its approval', async () => {
    const { reader, conversationId } = await talkWithApproval({
      action: 'approve_edited',
      edited_args: { order: planted.edited },
    });
    const full = JSON.stringify(await chat.log(conversationId));
    for (const secret of [planted.tool, planted.argument, planted.edited, planted.result]) {
      expect(full).toContain(secret);
    }
    expect(JSON.stringify(reader.events)).not.toMatch(anyPlanted);
    expect(await seenOf(conversationId)).not.toMatch(anyPlanted);
    expect(namesOf(reader.events.filter(({ id }) => id !== undefined))).toEqual([
      'turn.started',
      'message.completed',
      'turn.paused',
      'turn.resumed',
      'message.completed',
      'turn.completed',
    ]);
    expect(fieldsOf(reader.events, 'turn.completed')).toEqual(['handed_off', 'message_id', 'turn_id']);
    expect(fieldsOf(reader.events, 'turn.paused')).toEqual(['turn_id']);
    reader.close();
  });

  it('why an approval was denied', async () => {
    const { reader, conversationId } = await talkWithApproval({ action: 'deny', text: planted.denial });
    expect(JSON.stringify(await chat.log(conversationId))).toContain(planted.denial);
    expect(JSON.stringify(reader.events)).not.toMatch(anyPlanted);
    expect(await seenOf(conversationId)).not.toMatch(anyPlanted);
    reader.close();
  });

  it('why a person was requested, only that one was', async () => {
    scripted.enqueue([toolCall('handoff', { reason: planted.reason })], [text('Somebody will come.')]);
    const { conversationId, events } = await sayAs(service, person, {
      bot_id: botId,
      new_conversation: true,
    });
    expect((await service.call(`GET /api/v1/conversations/${conversationId}`)).body.needs_human.reason).toBe(
      planted.reason,
    );
    expect(events.find(({ event }) => event === 'conversation.needs_human')?.data).toEqual({
      needs_human: true,
      taken_over: false,
    });
    expect(JSON.stringify(events)).not.toMatch(anyPlanted);
    const seen = await seenOf(conversationId);
    expect(seen).not.toMatch(anyPlanted);
    expect(seen).toContain('"needs_human":true');
  });

  it('which provider failed', async () => {
    scripted.enqueue([status(400)]);
    const { conversationId, last } = await sayAs(service, person, { bot_id: botId, new_conversation: true });
    expect(JSON.stringify(await chat.log(conversationId))).toContain('openai');
    expect(last).toMatchObject({
      event: 'turn.failed',
      data: { error: { code: 'MODEL_REJECTED', message: 'The model provider refused the request.' } },
    });
    expect(await seenOf(conversationId)).not.toContain('openai');
  });

  it('which model its bot lacks', async () => {
    const without = await chat.bot();
    await service.database.acrossWorkspaces.execute(
      sql`update bots set settings = settings || '{"model": "anthropic/claude-sonnet-4-5"}' where id = ${without}`,
    );
    const body = { bot_id: without, external_user_id: 'team', message: 'Hello' };
    const full = await service.call('POST /api/v1/chat/send-stream', { body });
    expect(full.body.message).toContain('anthropic');
    const { external_user_id: _, ...own } = body;
    const seen = await service.call('POST /api/v1/chat/send-stream', { key: person.token, body: own });
    expect(seen).toMatchObject({ status: full.status, body: { code: full.body.code } });
    expect(JSON.stringify(seen.body)).not.toContain('anthropic');
  });
});

it('has holes between the ids where something is hidden, and can resume at any of them', async () => {
  const { reader, conversationId } = await talkWithApproval({ action: 'approve' });
  const stored = reader.events.filter(({ id }) => id !== undefined);
  const ids = stored.map(({ id }) => id ?? 0);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  expect(Math.max(...ids)).toBeGreaterThan(ids.length);
  reader.close();
  for (let after = 0; after < Math.max(...ids); after += 1) {
    const path = `/api/v1/chat/events?conversation_id=${conversationId}&after=${after}`;
    const page = await service.call(`GET ${path}`, { key: person.token });
    expect(page.body.map(({ id }: { id: number }) => id)).toEqual(ids.filter((id) => id > after));
    const resumed = await chat.listen(conversationId, { key: person.token, lastEventId: after });
    await resumed.until('turn.completed');
    expect(resumed.events.filter(({ id }) => id !== undefined)).toEqual(
      stored.filter(({ id = 0 }) => id > after),
    );
    resumed.close();
  }
});

it('shows a conversation with its messages and where to follow it', async () => {
  const { conversationId, reader } = await talkWithApproval({ action: 'approve' });
  const { body } = await service.call(`GET /api/v1/conversations/${conversationId}`, { key: person.token });
  expect(body).toEqual({
    id: conversationId,
    bot_id: botId,
    title: 'hello',
    status: 'idle',
    needs_human: false,
    taken_over: false,
    created_at: expect.any(String),
    last_message_at: expect.any(String),
    has_branches: false,
    last_event_id: Math.max(...reader.events.map(({ id = 0 }) => id)),
    messages: ['hello', 'Let me see.', 'All done.'].map((content, index) => ({
      id: expect.any(String),
      role: index === 0 ? 'user' : 'assistant',
      content,
      citations: [],
      author_name: null,
      rating: null,
      interrupted: false,
      created_at: expect.any(String),
    })),
  });
  reader.close();
});
