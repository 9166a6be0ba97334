import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { hang, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import {
  endOfRun,
  incomplete,
  makeAgent,
  playAgent,
  readConversation,
  runToItsEnd,
  startRun,
  trigger,
} from '../support/agents.ts';
import { askedBy, chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { fewer } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => {
  scripted.reset();
  playAgent(scripted, [[text('There are four.')]]);
});

const stop = (conversationId: string) =>
  service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
const conversationsOf = async (agentId: string) =>
  (await service.call(`GET /api/v1/conversations?bot_id=${agentId}`)).body;

describe('a trigger', () => {
  it('answers immediately, and the run continues in the conversation', async () => {
    const agentId = await makeAgent(service);
    const answer = await trigger(service, agentId);
    expect(answer).toMatchObject({ status: 202 });
    expect(answer.body).toEqual({
      success: true,
      data: { conversation_id: expect.any(String), status: 'accepted' },
      message: expect.stringMatching(/\S/),
    });
    const conversationId = answer.body.data.conversation_id;
    const ended = await endOfRun(service, conversationId);
    expect(ended).toMatchObject({
      id: conversationId,
      bot_id: agentId,
      channel: 'agent',
      external_user_id: null,
      title: 'Count the stars.',
      status: 'completed',
      final_output: 'There are four.',
    });
    expect(ended.run).toEqual({
      id: expect.any(String),
      status: 'completed',
      trigger: 'api',
      iterations: 1,
      started_at: expect.any(String),
      ended_at: expect.any(String),
      deadline_at: expect.any(String),
      error: null,
    });
    expect(Date.parse(ended.run.deadline_at) - Date.parse(ended.run.started_at)).toBe(24 * 60 * 60 * 1000);
    const listed = await conversationsOf(agentId);
    const { messages: _messages, notes: _notes, user_name: _name, final_output: _output, ...shown } = ended;
    expect(listed).toEqual([shown]);
    expect((await service.call(`GET /api/v1/bots/${agentId}`)).body.last_run_at).toBe(ended.run.started_at);
  });

  it('without a body runs the stored goal unchanged', async () => {
    const played = playAgent(scripted, [[text('Done.')]]);
    const agentId = await makeAgent(service, { agent_goal: 'Water the plants.' });
    const { messages } = await runToItsEnd(service, agentId);
    expect(messages[0]).toMatchObject({ role: 'user', content: 'Water the plants.' });
    expect(askedBy(played.asked()[0]).at(-1)).toEqual({ role: 'user', content: 'Water the plants.' });
  });

  it.each([
    ['nothing behind a JSON content type', '', 'Count the stars.'],
    ['an empty object', {}, 'Count the stars.'],
    ['an empty payload', { payload: '' }, 'Count the stars.'],
    ['a payload', { payload: 'Only red ones.' }, 'Count the stars.\n\nTrigger payload:\nOnly red ones.'],
  ])('with %s', async (_what, body, content) => {
    const agentId = await makeAgent(service);
    const answer = await trigger(service, agentId, body, {
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 202 });
    const { messages } = await endOfRun(service, answer.body.data.conversation_id);
    expect(messages[0].content).toBe(content);
  });

  it.each([
    [undefined, 3],
    [0, 3],
    [-1, 3],
    [-1e308, 3],
    [2, 2],
    [5, 5],
  ])('with max_iterations %s runs %i iterations', async (max_iterations, expected) => {
    playAgent(scripted, [[text('Done.')]], [incomplete('everything')]);
    const agentId = await makeAgent(service, { max_iterations: 3 });
    const { run } = await runToItsEnd(service, agentId, { max_iterations });
    expect(run).toMatchObject({ status: 'max_iterations_reached', iterations: expected });
  });

  it('accepts an iteration limit far beyond any need', async () => {
    const agentId = await makeAgent(service);
    expect(await runToItsEnd(service, agentId, { max_iterations: 2 ** 53 })).toMatchObject({
      status: 'completed',
    });
  });
});

describe('a trigger is refused, and nothing is left behind,', () => {
  const json = { headers: { 'content-type': 'application/json' } };
  const tooLong = JSON.stringify({ payload: 'x'.repeat(65_536) });

  it.each([
    ['a body that is cut off', '{"payload":', json],
    ['null', 'null', json],
    ['a list', '[]', json],
    ['a text', '"run"', json],
    ['an unknown field', '{"goal":"x"}', json],
    ['a payload that is not a string', '{"payload":{"a":1}}', json],
    ['a limit that is not an integer', '{"max_iterations":1.5}', json],
    ['a limit in words', '{"max_iterations":"3"}', json],
    ['a body over 64 KiB', tooLong, json],
    ['a plain text', 'run', { headers: { 'content-type': 'text/plain' } }],
    ['a form', 'payload=x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a broken content type', '{}', { headers: { 'content-type': 'nonsense' } }],
  ])('with 400 for %s', async (_what, body, options) => {
    const agentId = await makeAgent(service);
    const answer = await trigger(service, agentId, body, options);
    expect(answer).toMatchObject({ status: 400, body: { success: false, code: 'VALIDATION_FAILED' } });
    expect(await conversationsOf(agentId)).toEqual([]);
  });

  it('but not for a body of 64 KiB exactly', async () => {
    const frame = JSON.stringify({ payload: '' }).length;
    const agentId = await makeAgent(service);
    const payload = 'x'.repeat(65_536 - frame);
    const { messages } = await runToItsEnd(service, agentId, { payload });
    expect(messages[0].content.endsWith(`Trigger payload:\n${payload}`)).toBe(true);
    const one = await trigger(service, agentId, { payload: `${payload}x` });
    expect(one).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  it('with 400 for a chatbot and for an agent without a goal', async () => {
    const chatbot = await makeAgent(service, { bot_type: 'chatbot' });
    expect(await trigger(service, chatbot)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', message: expect.stringContaining('chatbot') },
    });
    for (const agent_goal of [null, '  ']) {
      const aimless = await makeAgent(service, { agent_goal });
      const answer = await trigger(service, aimless);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', details: [{ path: 'agent_goal' }] },
      });
      expect(await conversationsOf(aimless)).toEqual([]);
    }
  });

  it('with 404 for anything but an active agent of the workspace', async () => {
    const agentId = await makeAgent(service);
    await service.call(`DELETE /api/v1/bots/${agentId}`);
    const other = await service.makeWorkspace();
    const theirs = await makeAgent(service, {}, other.key);
    for (const id of [agentId, theirs, randomUUID(), 'nonsense']) {
      expect(await trigger(service, id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
  });

  it('with 404 for an agent that becomes inactive meanwhile', async () => {
    const agentId = await makeAgent(service);
    const { answering } = await service.database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute(sql`update bots set status = 'inactive' where id = ${agentId}`);
      const answer = trigger(service, agentId);
      const waiting = sql`select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`;
      await eventually(async () => (await tx.execute(waiting)).rowCount).toBe(1);
      return { answering: answer };
    });
    expect(await answering).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await conversationsOf(agentId)).toEqual([]);
  });

  it('with 403 for a key that lacks the ability', async () => {
    const key = await service.makeKey({ abilities: ['bots:write', 'chat:write'] });
    const answer = await trigger(service, await makeAgent(service), {}, { key });
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(answer.body.message).toContain('agents:trigger');
  });

  it('with 500 when it cannot be started', async () => {
    const agentId = await makeAgent(service);
    const execute = (statement: string) => service.database.acrossWorkspaces.execute(sql.raw(statement));
    await execute(`alter table turns add constraint broken check (bot_id <> '${agentId}') not valid`);
    const answer = await trigger(service, agentId);
    expect(answer).toMatchObject({
      status: 500,
      body: { code: 'INTERNAL', message: 'The run could not be started.' },
    });
    expect(JSON.stringify(answer.body)).not.toContain('constraint');
    await execute('alter table turns drop constraint broken');
    expect(await conversationsOf(agentId)).toEqual([]);
    expect(await runToItsEnd(service, agentId)).toMatchObject({ status: 'completed' });
  });
});

it('is described as taking a body that may be left out', async () => {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody: unknown }>>;
  };
  expect(document.paths['/api/v1/agents/{id}/trigger']?.['post']?.requestBody).toMatchObject({
    required: false,
    content: { 'application/json': { schema: { type: 'object', additionalProperties: false } } },
  });
});

describe('one run at a time', () => {
  it('refuses a second trigger until the first run is over', async () => {
    playAgent(scripted, [[hang], [text('Done.')]]);
    const agentId = await makeAgent(service);
    const conversationId = await startRun(service, agentId);
    expect(await trigger(service, agentId)).toMatchObject({ status: 409, body: { code: 'RUN_IN_PROGRESS' } });
    expect(await readConversation(service, conversationId)).toMatchObject({
      status: 'running',
      final_output: null,
    });
    expect((await stop(conversationId)).body).toEqual({ stopped: true });
    expect(await runToItsEnd(service, agentId)).toMatchObject({ status: 'completed' });
  });

  it('of many at the same time exactly one is accepted', async () => {
    const many = fewer(1_000);
    playAgent(scripted, [[hang]]);
    const agentId = await makeAgent(service);
    const answers = await Promise.all(Array.from({ length: many }, () => trigger(service, agentId, {})));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(many - 1);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['RUN_IN_PROGRESS']));
    const conversations = await conversationsOf(agentId);
    expect(conversations.map(({ id }: { id: string }) => id)).toEqual([
      accepted[0]?.body.data.conversation_id,
    ]);
    await stop(conversations[0].id);
  });
});

describe('with an Idempotency-Key a repeat', () => {
  it('gets the first answer and starts no second run', async () => {
    const agentId = await makeAgent(service);
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const first = await trigger(service, agentId, { payload: 'x' }, options);
    await endOfRun(service, first.body.data.conversation_id);
    const again = await trigger(service, agentId, { payload: 'x' }, options);
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(await conversationsOf(agentId)).toHaveLength(1);
    const other = await trigger(service, agentId, { payload: 'y' }, options);
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } });
  });

  it('of a refused trigger may try again', async () => {
    playAgent(scripted, [[hang], [text('Done.')]]);
    const agentId = await makeAgent(service);
    const conversationId = await startRun(service, agentId);
    const options = { headers: { 'idempotency-key': randomUUID() } };
    expect(await trigger(service, agentId, {}, options)).toMatchObject({ status: 409 });
    await stop(conversationId);
    const again = await trigger(service, agentId, {}, options);
    expect(again).toMatchObject({ status: 202 });
    await endOfRun(service, again.body.data.conversation_id);
  });
});

it('no message can be sent to the conversation of a run', async () => {
  const agentId = await makeAgent(service);
  const { id } = await runToItsEnd(service, agentId);
  const body = { conversation_id: id, message: 'Hello', external_user_id: 'u' };
  expect(await service.call('POST /api/v1/chat/send-stream', { body })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', details: [{ path: 'conversation_id' }] },
  });
  // The agent itself can be chatted with, elsewhere.
  scripted.enqueue([text('Hello!')]);
  expect((await chat.say({ bot_id: agentId })).text).toBe('Hello!');
});
