import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { hang, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { endOfRun, giveTools, makeAgent, playAgent, readConversation, startRun } from '../support/agents.ts';
import { eventually, scriptedEnvironment } from '../support/chat.ts';
import { startDatabaseProxy } from '../support/faults/proxy.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

// A dead node is noticed after fifteen seconds.

const minute = 60_000;
const day = 24 * 60 * minute;
let store: TestDatabase;
let scripted: ScriptedModel;
let nodes: TestNode[];
let now: Date;

beforeEach(async () => {
  store = await createTestDatabase();
  scripted = await startScriptedModel();
  nodes = [];
  now = new Date();
});
afterEach(async () => {
  for (const node of nodes) await node.stop(0);
  await scripted.close();
  await store.drop();
});

async function start(): Promise<TestNode> {
  const environment = { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' };
  const node = await startNode({ database: store.database, environment, clock: { now: () => now } });
  nodes.push(node);
  return node;
}

/** As after a crash: the node's turns still belong to a node that no longer exists. */
async function die(node: TestNode): Promise<void> {
  await node.stop(0);
  nodes = nodes.filter((other) => other !== node);
  await store.database.acrossWorkspaces.execute(
    sql`update turns set node_id = ${randomUUID()}::uuid where status = 'running'`,
  );
}

const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};

describe('the deadline of a run whose node died', () => {
  it('is kept by the node that takes it over', async () => {
    playAgent(scripted, [[hang]]);
    const first = await start();
    const conversationId = await startRun(first, await makeAgent(first));
    await eventually(() => scripted.requests.length).toBe(1);
    await die(first);
    pass(day - minute);
    const second = await start();
    // Taken over a minute before its end, it still continues.
    await until('the model is asked again', () => scripted.requests.length === 2);
    expect(await readConversation(second, conversationId)).toMatchObject({ status: 'running' });
    pass(minute);
    expect(await endOfRun(second, conversationId)).toMatchObject({
      status: 'timed_out',
      run: { error: { code: 'RUN_TIMED_OUT' } },
    });
  });

  it('is kept by a node that starts later', async () => {
    playAgent(scripted, [[hang]]);
    const first = await start();
    const conversationId = await startRun(first, await makeAgent(first, { timeout_seconds: 60 }));
    await eventually(() => scripted.requests.length).toBe(1);
    await die(first);
    pass(2 * day);
    const second = await start();
    const ended = async () => (await readConversation(second, conversationId)).status === 'timed_out';
    await until('it is ended', ended);
    expect(scripted.requests).toHaveLength(1);
  });

  it('is kept while it waits for a person', async () => {
    playAgent(scripted, [[toolCall('pay', {})]]);
    const first = await start();
    const agentId = await makeAgent(first);
    const parameters = { type: 'object', properties: {} };
    const configuration = { method: 'POST', url: 'http://127.0.0.1:9/x', parameters, approval: 'always' };
    await giveTools(first, agentId, [{ tool_type: 'http_request', name: 'pay', configuration }]);
    const conversationId = await startRun(first, agentId);
    await eventually(async () => (await readConversation(first, conversationId)).status).toBe('paused');
    await die(first);
    pass(day);
    const second = await start();
    expect(await endOfRun(second, conversationId)).toMatchObject({ status: 'timed_out' });
    expect(scripted.requests).toHaveLength(1);
  });
});

it('a run that its node does not end is ended by another', async () => {
  playAgent(scripted, [[hang]]);
  const first = await start();
  const conversationId = await startRun(first, await makeAgent(first));
  await eventually(() => scripted.requests.length).toBe(1);
  // The owner counts as alive but knows nothing of the run, so only the other node can end it.
  const { rows } = await store.database.acrossWorkspaces.execute<{ id: string }>(sql`select id from nodes`);
  const second = await start();
  await first.stop(0);
  nodes = [second];
  await store.database.acrossWorkspaces.execute(
    sql`insert into nodes (id, seen_at) values (${rows[0]?.id}::uuid, now() + interval '1 hour')`,
  );
  await store.database.acrossWorkspaces.execute(sql`update turns set node_id = ${rows[0]?.id}::uuid`);
  pass(day);
  const ended = async () => (await readConversation(second, conversationId)).status === 'timed_out';
  await until('it is ended', ended);
});

it('a trigger is accepted when its commit succeeded but the answer was lost', async () => {
  playAgent(scripted, [[text('Done.')]]);
  const proxy = await startDatabaseProxy(store);
  const fleet = createFleet();
  try {
    const service = await fleet.start({ ...proxy.environment, OPENAI_BASE_URL: scripted.url('openai') });
    const call = service.call(key);
    const agentId = await makeAgent({ call });
    const trap = proxy.loseAnswerTo('commit');
    const answering = call(`POST /api/v1/agents/${agentId}/trigger`);
    await trap.sent;
    const isStored = async () =>
      (await store.database.acrossWorkspaces.execute(sql`select 1 from runs`)).rowCount === 1;
    await until('the run is stored', isStored);
    proxy.breakLost();
    const answer = await answering;
    expect(answer, service.output()).toMatchObject({ status: 202 });
    const ended = await endOfRun({ call }, answer.body.data.conversation_id);
    expect(ended).toMatchObject({ status: 'completed', run: { iterations: 1 } });
  } finally {
    await fleet.end();
    await proxy.close();
  }
});
