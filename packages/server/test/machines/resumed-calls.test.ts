import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { makeCodingBot, playReplies, toolTexts } from '../support/coding-bot.ts';
import { startTcpProxy } from '../support/faults/tcp-proxy.ts';
import { baseHash, pairScripted, type ScriptedMachine, usualOutcome } from '../support/scripted-machine.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

const change = { path: 'a.txt', content: 'new\n' };

let scripted: ScriptedModel;
let database: TestDatabase;
let runner: TestNode;
let other: TestNode;
let machine: ScriptedMachine;
let botId: string;

beforeAll(async () => {
  scripted = await startScriptedModel();
  database = await createTestDatabase();
  other = await start();
  machine = await pairScripted(other);
  await machine.connect(other.url);
});
afterAll(async () => {
  await machine.disconnect();
  await other.stop();
  await database.drop();
  await scripted.close();
});
beforeEach(async () => {
  runner = await start();
  botId = await makeCodingBot(other, { machine_id: machine.id, workdir: '/project' });
  machine.received.length = 0;
  machine.carriedOut.length = 0;
  machine.setScript((operation) => (operation.name === 'write_file' ? 'hold' : usualOutcome(operation)));
  playReplies(scripted, [toolCall('write_file', change)], [text('Done.')]);
});
afterEach(() => runner.stop(0));

function start(own: Database = database.database, clock = systemClock): Promise<TestNode> {
  return startNode({ database: own, clock, environment: scriptedEnvironment(scripted) });
}

/** A turn of the runner whose approved change is being carried out on the machine, which is connected to the other node. */
async function runningChange(): Promise<{ conversationId: string; approvalId: string; callId: string }> {
  const turn = await chatWith(() => runner).say({ bot_id: botId, new_conversation: true });
  const approvalId = turn.last.data.approval_ids[0] as string;
  await runner.call(`POST /api/v1/hitl/${approvalId}/respond`, { body: { action: 'approve' } });
  await eventually(() => machine.operations('write_file').length).toBe(1);
  const callId = machine.operations('write_file')[0]?.id ?? '';
  return { conversationId: turn.conversationId, approvalId, callId };
}

async function logOf(conversationId: string) {
  const read = async () => (await other.call(`GET /api/v1/conversations/${conversationId}`)).body.status;
  await eventually(read).toBe('idle');
  return chatWith(() => other).log(conversationId);
}

const completedOf = (log: Awaited<ReturnType<typeof logOf>>) =>
  log.flatMap(({ event, data }) => (event === 'tool.completed' ? [data] : []));

describe('an approved call that its node left behind', () => {
  it('continues on another node, with the same id and basis, and is carried out once', async () => {
    const { conversationId, callId } = await runningChange();
    await runner.stop(0);
    await eventually(() => machine.operations('write_file').length).toBe(2);
    const [first, again] = machine.operations('write_file');
    expect(again).toEqual(first);
    expect(again?.basis).toEqual({ files: [{ path: '/project/a.txt', hash: baseHash }] });
    if (first) machine.finish(callId, usualOutcome(first));
    const log = await logOf(conversationId);
    expect(completedOf(log)).toMatchObject([{ tool_call_id: callId, status: 'ok' }]);
    expect(log.filter(({ event }) => event === 'tool.started')).toHaveLength(1);
    expect(machine.carriedOut.filter((id) => id === callId)).toHaveLength(1);
    expect(machine.received.filter(({ type }) => type === 'cancel')).toEqual([]);
  });

  it('is unknown if its tool was changed meanwhile, and is cancelled, because it may be running', async () => {
    const { conversationId, callId } = await runningChange();
    const { body } = await other.call(`GET /api/v1/tools/bot?bot_id=${botId}`);
    const changed = await other.call(`PUT /api/v1/tools/${body[0].tool.id}`, {
      body: { configuration: { machine_id: machine.id, workdir: '/elsewhere' } },
    });
    expect(changed).toMatchObject({ status: 200 });
    await runner.stop(0);
    const log = await logOf(conversationId);
    expect(completedOf(log)).toMatchObject([{ tool_call_id: callId, status: 'unknown' }]);
    const decided = log.flatMap(({ event, data }) =>
      event === 'approval.resolved' ? [data.approval.status] : [],
    );
    expect(decided).toEqual(['approved']);
    await machine.receives('cancel', callId);
    expect(machine.operations('write_file')).toHaveLength(1);
  });

  it('is unknown if its tool is gone', async () => {
    const { conversationId, callId } = await runningChange();
    const assignments: object[] = [];
    await other.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
    await runner.stop(0);
    expect(completedOf(await logOf(conversationId))).toMatchObject([{ status: 'unknown' }]);
    await machine.receives('cancel', callId);
  });
});

it('a call that needed no approval is not sent again if its tool has come to ask, and is cancelled', async () => {
  const own = { machine_id: machine.id, workdir: '/project' };
  const free = await makeCodingBot(other, { ...own, approval_writes: 'never' });
  const reader = await chatWith(() => runner).send({ bot_id: free, new_conversation: true });
  await eventually(() => machine.operations('write_file').length).toBe(1);
  const callId = machine.operations('write_file')[0]?.id ?? '';
  const { body } = await other.call(`GET /api/v1/tools/bot?bot_id=${free}`);
  const path = `PUT /api/v1/tools/${body[0].tool.id}`;
  expect(await other.call(path, { body: { configuration: own } })).toMatchObject({ status: 200 });
  const [{ id }] = (await other.call(`GET /api/v1/conversations?bot_id=${free}`)).body;
  await runner.stop(0);
  reader.close();
  expect(completedOf(await logOf(id))).toMatchObject([{ tool_call_id: callId, status: 'unknown' }]);
  await machine.receives('cancel', callId);
  expect(machine.operations('write_file')).toHaveLength(1);
});

it('a call of a stopped turn is cancelled even if the node that ran it does nothing any more', async () => {
  const { database: name, host, port, user, password } = database.connection;
  const proxy = await startTcpProxy(() => connect(join(String(host), `.s.PGSQL.${port}`)));
  const connection = { host: '127.0.0.1', port: proxy.port, user, password, database: name };
  const proxied = openDatabase({ connection, maxConnections: 8, onConnectionError: () => undefined });
  await runner.stop(0);
  runner = await start(proxied);
  try {
    const { conversationId, callId } = await runningChange();
    proxy.set('held');
    const stopped = await other.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
    expect(stopped.body).toEqual({ stopped: true });
    await machine.receives('cancel', callId);
    proxy.set('open');
    await runner.stop(0);
  } finally {
    await proxied.close();
    await proxy.close();
  }
});

it('a call of a stopped turn is cancelled on its machine', async () => {
  const { conversationId, callId } = await runningChange();
  const stopped = await other.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
  expect(stopped.body).toEqual({ stopped: true });
  await machine.receives('cancel', callId);
  expect(completedOf(await logOf(conversationId))).toMatchObject([{ status: 'unknown' }]);
});

it('a call whose machine goes offline ends as unknown, and its outcome is noted when the machine is back', async () => {
  let passedMs = 0;
  await runner.stop(0);
  runner = await start(database.database, { now: () => new Date(Date.now() + passedMs) });
  const free = await makeCodingBot(
    other,
    { machine_id: machine.id, workdir: '/project', approval_writes: 'never' },
    { enable_agent_tracing: true },
  );
  const held = ['write_file', 'list_files'];
  machine.setScript((operation) => (held.includes(operation.name) ? 'hold' : usualOutcome(operation)));
  playReplies(scripted, [toolCall('write_file', change)], [toolCall('list_files', {})], [text('Done.')]);
  const chat = chatWith(() => runner);
  const reader = await chat.send({ bot_id: free, external_user_id: 'ada', new_conversation: true });
  await eventually(() => machine.operations('write_file').length).toBe(1);
  const [first] = machine.operations('write_file');
  if (!first) throw new Error('It was sent.');
  await machine.disconnect();
  await reader.until(({ event, data }) => event === 'tool.progress' && /gone offline/.test(data.text));
  passedMs = 30_000;
  await reader.until(({ event }) => event === 'tool.completed');
  // It was carried out, but the result could not be sent.
  machine.finish(first.id, usualOutcome(first));
  await machine.connect(other.url);
  await eventually(() => machine.operations('list_files').length).toBe(1);
  const [{ id: conversationId }] = (await other.call(`GET /api/v1/conversations?bot_id=${free}`)).body;
  const completed = async () => completedOf(await chat.log(conversationId));
  await eventually(async () => (await completed()).length).toBe(2);
  expect(await completed()).toMatchObject([
    { tool_call_id: first.id, status: 'unknown', result: { error: expect.stringContaining('went offline') } },
    { tool_call_id: first.id, status: 'ok', result: { files: [{ path: 'a.txt' }] } },
  ]);
  // The turn still runs, and its model learns it with the next result.
  const listed = machine.operations('list_files')[0]?.id ?? '';
  machine.finish(listed, { status: 'ok', value: { entries: [], truncated: false } });
  await reader.until(({ event }) => event === 'turn.completed');
  reader.close();
  expect(toolTexts(scripted)[0]).toMatch(/went offline[^]*came back later[^]*a\.txt: modified/);
  const { body: trace } = await other.call(`GET /api/v1/conversations/${conversationId}/trace`);
  expect(JSON.stringify(trace)).toContain('"action":"modified"');
  // So does every later turn.
  await chat.say({ bot_id: free, external_user_id: 'ada', conversation_id: conversationId, message: 'And?' });
  expect(toolTexts(scripted)[0]).toMatch(/came back later/);
  expect(machine.carriedOut.filter((id) => id === first.id)).toHaveLength(1);
});
