import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedLane } from '../../src/egress/guarded-lane.ts';
import type { ToolRun } from '../../src/tools/tools.service.ts';
import { createMcp } from '../../src/tools/types/mcp/mcp.ts';
import { createMcpSessions } from '../../src/tools/types/mcp/mcp-sessions.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, durable, eventually, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { type FakeMcpServer, sendEvent, sendQuestion, startFakeMcpServer } from '../support/mcp-server.ts';
import { patienceMs } from '../support/patience.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';
import { type EverythingServer, startEverythingServer } from './everything-server.ts';

const log = pino({ level: 'silent' });

/** The reference server is an implementation that we did not write. */
let server: EverythingServer;
let service: TestApp;
let scripted: ScriptedModel;
const chat = chatWith(() => service);
beforeAll(async () => {
  server = await startEverythingServer();
  scripted = await startScriptedModel();
  const environment = { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' };
  service = await startTestApp({ environment });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  await server.stop();
});

async function makeTool(configuration: object = {}): Promise<string> {
  const body = {
    tool_type: 'mcp',
    name: 'Everything',
    description: 'x',
    configuration: { url: server.url, ...configuration },
  };
  return (await service.call('POST /api/v1/tools', { body })).body.id;
}
const test = async (id: string, parameters: object = {}) =>
  (await service.call(`POST /api/v1/tools/${id}/test`, { body: { parameters } })).body;

describe('the reference MCP server', () => {
  it('lists its tools and runs them', async () => {
    const id = await makeTool({ authorization: 'canary-token' });
    const offered = await test(id);
    expect(offered).toMatchObject({ success: true, execution_time_ms: expect.any(Number) });
    expect(offered.result.tools).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']));

    const echoed = await test(id, { tool: 'echo', arguments: { message: 'hello' } });
    expect(echoed).toMatchObject({ success: true, result: { text: 'Echo: hello' } });
    expect(echoed.resolved_request).toEqual({
      method: 'POST',
      url: server.url,
      headers: { 'content-type': 'application/json', authorization: '***' },
      body: expect.stringContaining('"hello"'),
    });
    expect((await test(id, { tool: 'get-sum', arguments: { a: 2, b: 3 } })).result.text).toContain('5');
    const { result: image } = await test(id, { tool: 'get-tiny-image' });
    expect(image.text).toMatch(/\[image, image\/png, \d+ bytes, not shown\]/);
    expect(image.images).toEqual([{ mime_type: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) }]);
    const structured = await test(id, { tool: 'get-structured-content', arguments: { location: 'Chicago' } });
    expect(structured.result.structured_content).toMatchObject({ conditions: expect.any(String) });
    const blob = { tool: 'get-resource-reference', arguments: { resourceType: 'Blob', resourceId: 1 } };
    expect((await test(id, blob)).result.text).toContain('not shown');
  });

  it('reports what is wrong with a call', async () => {
    const id = await makeTool();
    const wrong = await test(id, { tool: 'get-sum', arguments: { a: 'x' } });
    expect(wrong).toMatchObject({ success: false, error: expect.stringMatching(/invalid/i) });
    expect(await test(id, { tool: 'fly' })).toMatchObject({
      success: false,
      error: expect.stringContaining('offers no fly'),
    });
    expect(await test(id, { surprise: 1 })).toMatchObject({
      success: false,
      error: expect.stringContaining('parameters.surprise'),
    });
    const narrow = await makeTool({ allowed_tools: ['echo'] });
    expect((await test(narrow)).result.tools).toEqual(['echo']);
    expect((await test(narrow, { tool: 'get-sum', arguments: { a: 1, b: 2 } })).success).toBe(false);
  });

  it('reports its progress', async () => {
    const lane = createGuardedLane({ allow: ['127.0.0.1'] });
    const sessions = createMcpSessions({ fetch: lane.fetch, log });
    const tool = {
      id: undefined,
      workspaceId: 'w',
      name: 'E',
      description: '',
      configuration: { url: server.url },
    };
    const signal = AbortSignal.timeout(patienceMs);
    const functions = await createMcp({ sessions }).functions(tool, signal);
    const long = functions.find(({ name }) => name === 'E_trigger-long-running-operation');
    const reported: string[] = [];
    const run = {
      workspaceId: 'w',
      botId: undefined,
      conversationId: undefined,
      signal,
      onProgress: (status: string) => void reported.push(status),
    };
    const result = await long?.run({ duration: 0.3, steps: 3 }, run);
    expect(result).toMatchObject({ status: 'ok' });
    expect(reported).toEqual(['1 of 3', '2 of 3', '3 of 3']);
    await sessions.close();
    await lane.close();
  });

  it('runs tools as tasks that can only be run so', async () => {
    const id = await makeTool();
    expect((await test(id)).result.tools).toContain('simulate-research-query');
    const answer = await test(id, { tool: 'simulate-research-query', arguments: { topic: 'bees' } });
    expect(answer).toMatchObject({ success: true, result: { text: expect.stringContaining('bees') } });
  });

  /** Functions of the server, called as a turn would, without a service. */
  async function direct() {
    const lane = createGuardedLane({ allow: ['127.0.0.1'] });
    const sessions = createMcpSessions({ fetch: lane.fetch, log });
    const tool = {
      id: undefined,
      workspaceId: 'w',
      name: 'E',
      description: '',
      configuration: { url: server.url },
    };
    const signal = AbortSignal.timeout(patienceMs);
    const functions = await createMcp({ sessions }).functions(tool, signal);
    const run = async (name: string, given: Record<string, unknown>, ask?: ToolRun['ask']) => {
      const found = functions.find((one) => one.name === `E_${name}`);
      const context = {
        workspaceId: 'w',
        botId: undefined,
        conversationId: undefined,
        signal,
        onProgress: () => undefined,
      };
      return found?.run(given, { ...context, ...(ask && { ask }) });
    };
    const close = async () => {
      await sessions.close();
      await lane.close();
    };
    return { run, close };
  }

  it('may ask a person, each call its own, and a task as well', async () => {
    const { run, close } = await direct();
    const ask = (name: string) => async () => {
      // Both questions are open at the same time, in one session.
      await delay(300);
      return { action: 'accept' as const, content: { name } };
    };
    const results = await Promise.all(
      ['Ada', 'Bob'].map((name) => run('trigger-elicitation-request', {}, ask(name))),
    );
    expect(results.map((result) => /Name: (\w+)/.exec(result?.content ?? '')?.[1])).toEqual(['Ada', 'Bob']);
    const asked: unknown[] = [];
    const clarified = await run(
      'simulate-research-query',
      { topic: 'python', ambiguous: true },
      async (question) => {
        asked.push(question);
        return { action: 'accept', content: { interpretation: 'technical' } };
      },
    );
    expect(asked).toMatchObject([{ message: expect.stringContaining('asks: The research query "python"') }]);
    expect(clarified).toMatchObject({ status: 'ok', content: expect.stringContaining('technical') });
    expect((await run('trigger-elicitation-request', {}))?.content).toContain('cancel');
    const declined = await run('trigger-elicitation-request', {}, async () => ({
      action: 'decline',
      reason: null,
    }));
    expect(declined?.content).toContain('declined');
    await close();
  });

  it('asks in a conversation as an approval does, while the turn runs', async () => {
    const id = await makeTool({ approval: 'never', allowed_tools: ['trigger-elicitation-request'] });
    const botId = await chat.bot({ enable_agent_tracing: true });
    const body = { bot_id: botId, assignments: [{ tool_type: 'mcp', tool_configuration_id: id }] };
    expect(await service.call('POST /api/v1/tools/assign', { body })).toMatchObject({ status: 200 });
    scripted.enqueue([toolCall('Everything_trigger-elicitation-request', {})], [text('Thank you, Ada.')]);
    const saying = chat.say({ bot_id: botId });
    const pending = async () => (await service.call('GET /api/v1/hitl')).body;
    await eventually(async () => (await pending()).length).toBe(1);
    const [question] = await pending();
    expect(question).toMatchObject({
      tool_name: 'Everything_trigger-elicitation-request',
      is_question: true,
      arguments: {},
      arguments_schema: { properties: { name: { type: 'string' } }, required: ['name'] },
      context: { kind: 'call', summary: expect.stringContaining('asks: Please provide inputs') },
    });
    const { body: conversation } = await service.call(
      `GET /api/v1/conversations/${question.conversation_id}`,
    );
    expect(conversation.status).toBe('running');
    const truncate = { message_id: conversation.messages[0].id };
    const truncated = await service.call(`POST /api/v1/conversations/${question.conversation_id}/truncate`, {
      body: truncate,
    });
    expect(truncated).toMatchObject({ status: 409, body: { code: 'TURN_IN_PROGRESS' } });
    const respond = (answer: object) =>
      service.call(`POST /api/v1/hitl/${question.id}/respond`, { body: answer });
    expect(await respond({ action: 'approve' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'action', message: expect.stringContaining('edited_args') }] },
    });
    const wrong = await respond({ action: 'approve_edited', edited_args: { name: 'Ada', integer: 1_000 } });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'edited_args.integer' }] } });
    const right = await respond({ action: 'approve_edited', edited_args: { name: 'Ada', integer: 7 } });
    expect(right).toMatchObject({ status: 200, body: { status: 'approved_edited' } });
    const { events } = await saying;
    const completed = events.filter(({ event }) => event === 'message.completed');
    expect(completed.at(-1)?.data.message.content).toBe('Thank you, Ada.');
    expect(namesOf(durable(events))).toEqual([
      'turn.started',
      'message.completed',
      'tool.started',
      'approval.requested',
      'approval.resolved',
      'tool.completed',
      'message.completed',
      'turn.completed',
    ]);
    expect(JSON.stringify(events.find(({ event }) => event === 'tool.completed'))).toContain('Name: Ada');
  });

  it('shows its picture to the model, in this turn only', async () => {
    const id = await makeTool({ approval: 'never', allowed_tools: ['get-tiny-image'] });
    const botId = await chat.bot();
    const body = { bot_id: botId, assignments: [{ tool_type: 'mcp', tool_configuration_id: id }] };
    await service.call('POST /api/v1/tools/assign', { body });
    scripted.enqueue([toolCall('Everything_get-tiny-image', {})], [text('A logo.')], [text('Yes.')]);
    const from = { bot_id: botId, external_user_id: 'Ada' };
    const { conversationId } = await chat.say(from);
    const sent = () => JSON.stringify(scripted.requests.at(-1)?.body);
    expect(sent()).toMatch(/data:image\/png;base64,iVBORw0KGgo/);
    await chat.say({ ...from, conversation_id: conversationId });
    expect(sent()).toContain('A logo.');
    expect(sent()).not.toContain('iVBORw0KGgo');
  });

  it('withdraws its question when the turn is stopped', async () => {
    const id = await makeTool({ approval: 'never', allowed_tools: ['trigger-elicitation-request'] });
    const botId = await chat.bot();
    const body = { bot_id: botId, assignments: [{ tool_type: 'mcp', tool_configuration_id: id }] };
    await service.call('POST /api/v1/tools/assign', { body });
    scripted.enqueue([toolCall('Everything_trigger-elicitation-request', {})]);
    const saying = chat.say({ bot_id: botId });
    const pending = async () => (await service.call('GET /api/v1/hitl')).body;
    await eventually(async () => (await pending()).length).toBe(1);
    const [question] = await pending();
    const stop = { conversation_id: question.conversation_id };
    expect((await service.call('POST /api/v1/chat/stop', { body: stop })).body).toEqual({ stopped: true });
    expect((await saying).last.event).toBe('turn.interrupted');
    expect(await pending()).toEqual([]);
    const late = await service.call(`POST /api/v1/hitl/${question.id}/respond`, { body: { action: 'deny' } });
    expect(late).toMatchObject({ status: 409, body: { details: [{ status: 'cancelled' }] } });
  });

  it('may be restarted in between', async () => {
    const id = await makeTool();
    const echo = () => test(id, { tool: 'echo', arguments: { message: 'again' } });
    expect((await echo()).success).toBe(true);
    await server.restart();
    expect(await echo()).toMatchObject({ success: true, result: { text: 'Echo: again' } });
    await server.stop();
    expect(await echo()).toMatchObject({
      success: false,
      error: expect.stringContaining('refused the connection'),
    });
    await server.restart();
    const again = await echo();
    expect(again, JSON.stringify(again)).toMatchObject({ success: true });
  });
});

describe('a question in a conversation', () => {
  let fake: FakeMcpServer;
  let botId: string;
  const finish = { call: () => undefined as void };
  const query = (statement: string) => service.database.acrossWorkspaces.raw(statement);
  const pendingQuestions = async () =>
    (await query("select from approvals where is_question and status = 'pending'")).rows.length;

  /** A server that asks when `before` is done, and answers the call when it is told to. */
  async function converse(before: () => Promise<unknown>) {
    fake.onCall = async ({ id }, response) => {
      await before();
      const finished = new Promise<void>((resolve) => {
        finish.call = resolve;
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      sendQuestion(response, 'Ada');
      await finished;
      sendEvent(response, { jsonrpc: '2.0', id, result: { content: [] } });
      response.end();
    };
    scripted.enqueue([toolCall('Everything_echo', {})], [text('Done.')]);
    return chat.say({ bot_id: botId });
  }

  beforeAll(async () => {
    fake = await startFakeMcpServer();
    const id = await makeTool({ url: fake.url, approval: 'never' });
    botId = await chat.bot();
    const body = { bot_id: botId, assignments: [{ tool_type: 'mcp', tool_configuration_id: id }] };
    expect(await service.call('POST /api/v1/tools/assign', { body })).toMatchObject({ status: 200 });
  });
  beforeEach(() => fake.answers.clear());
  afterAll(() => fake.stop());

  it('is withdrawn when it cannot be read, while its call runs', async () => {
    const saying = converse(async () => undefined);
    await eventually(pendingQuestions).toBe(1);
    await service.database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute('lock table approvals in access exclusive mode');
      await eventually(async () => {
        await query(`select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like 'select%"approvals"%'`);
        return countWaitingForLocks(service.database, 'update "approvals"');
      }).toBe(1);
    });
    await eventually(pendingQuestions).toBe(0);
    await eventually(() => fake.answers.get('Ada')).toMatchObject({ result: { action: 'cancel' } });
    finish.call();
    expect((await saying).last.event).toBe('turn.completed');
  });

  it('is not asked once the turn is in other hands', async () => {
    const asked = async () => (await query('select from approvals where is_question')).rows.length;
    const before = await asked();
    const saying = converse(() => query("update turns set fence = fence + 1 where status = 'running'"));
    await eventually(() => fake.answers.get('Ada')).toMatchObject({ result: { action: 'cancel' } });
    finish.call();
    expect(await asked()).toBe(before);
    expect((await saying).last.event).toBe('turn.completed');
  });
});
