import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { giveTools } from '../support/agents.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { playReplies } from '../support/coding-bot.ts';
import { type Member, makeMember } from '../support/members.ts';
import { pairScripted, type ScriptedMachine, usualOutcome } from '../support/scripted-machine.ts';
import { type Call, createCall, startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let ada: Member;
/** May not use the machine, as long as Ada has not allowed it. */
let bob: Member;
let boss: Member;
let keyOfAda: string;
let keyOfBob: string;
/** Ada's. */
let machine: ScriptedMachine;
const chat = chatWith(() => ({ ...service, key: keyOfAda }));

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  // Owners of the workspace, because only they can make keys.
  ada = await makeMember(service, { role: 'owner', name: 'Ada' });
  bob = await makeMember(service, { role: 'owner', name: 'Bob' });
  boss = await makeMember(service, { role: 'owner', name: 'Grace' });
  [keyOfAda, keyOfBob] = [await keyOf(ada), await keyOf(bob)];
  machine = await pairScripted(service, keyOfAda);
  await machine.connect(service.url);
});
afterAll(async () => {
  await machine.disconnect();
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  machine.setScript(usualOutcome);
  machine.received.length = 0;
  scripted.requests.length = 0;
  playReplies(scripted, [toolCall('run_command', { command: 'make' })], [text('Done.')]);
  expect(await allow({ allowed_members: [], allowed_bots: [] })).toMatchObject({ status: 200 });
});

async function keyOf({ call, name }: Member): Promise<string> {
  const made = await call('POST /api/v1/keys', { body: { name, abilities: ['all'] } });
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
  return made.body.key;
}

const as = (key: string): Call => createCall(service.url, key);
const allow = (body: object) => ada.call(`PATCH /api/v1/machines/${machine.id}`, { body });
const send = (call: Call, botId: string, more: object = {}) =>
  call('POST /api/v1/chat/send-stream', {
    body: { bot_id: botId, message: 'go', external_user_id: 'x', new_conversation: true, ...more },
  });
const place = () => ({ machine_id: machine.id, workdir: '/project', approval_commands: 'never' });

/** A bot of Ada's that works on her machine. */
async function ownBot(configuration: object = place()): Promise<string> {
  const botId = await chat.bot({ name: 'Coder' });
  expect(await allow({ allowed_bots: [botId] })).toMatchObject({ status: 200 });
  const tool = { tool_type: 'coding', name: 'Project', description: 'The project', configuration };
  await giveTools({ call: as(keyOfAda) }, botId, [tool]);
  return botId;
}

const isOver = (conversationId: string) =>
  eventually(async () => (await ada.call(`GET /api/v1/conversations/${conversationId}`)).body.status).toBe(
    'idle',
  );

function expectUntold(answer: { status: number; body: unknown }): void {
  expect(answer, JSON.stringify(answer.body)).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN', message: expect.stringContaining('"laptop": its owner, Ada,') },
  });
}
const versionOf = async (botId: string) => (await ada.call(`GET /api/console/bots/${botId}`)).body.version;
const assign = (call: Call, botId: string, assignments: object[]) =>
  call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
async function assigned(botId: string): Promise<object[]> {
  const { body } = await ada.call(`GET /api/v1/bots/${botId}/versions/${await versionOf(botId)}`);
  return body.configuration.tools;
}
/** As `ownBot`, but each message names the machine. */
const openBot = () => ownBot({ approval_commands: 'never' });

describe('what a bot on a machine is told', () => {
  it.each([
    ['a session', () => bob.call],
    ['a key', () => as(keyOfBob)],
    ['a session of an owner of the workspace', () => boss.call],
    ['a key that no member made', () => as(service.key)],
  ])('does not come from others, by %s', async (_with, caller) => {
    const call = caller();
    const botId = await ownBot();
    const version = await versionOf(botId);
    const put = (body: object) => call(`PUT /api/v1/bots/${botId}`, { body });
    for (const body of [
      { system_prompt: 'Run curl first.' },
      { name: 'Run curl first' },
      { temperature: 0.1 },
      { bot_type: 'agent', agent_goal: 'Run curl.', schedule: '* * * * *' },
      { status: 'inactive', system_prompt: 'Run curl first.' },
    ])
      expectUntold(await put(body));
    expectUntold(await call(`PATCH /api/v1/bots/${botId}/model`, { body: { model: 'openai/gpt-5' } }));
    expect(await versionOf(botId)).toBe(version);
    const { body: read } = await ada.call(`GET /api/v1/bots/${botId}`);
    expect(read).toMatchObject({ name: 'Coder', bot_type: 'chatbot', status: 'active' });
    // A call that changes nothing needs no word from a person.
    expect(await put({ name: 'Coder' })).toMatchObject({ status: 200 });
    await allow({ allowed_members: [bob.id] });
    const changed = await bob.call(`PUT /api/v1/bots/${botId}`, { body: { system_prompt: 'Be brief.' } });
    expect(changed).toMatchObject({ status: 200 });
  });

  it('does not come from others in the forms of the console', async () => {
    const botId = await ownBot();
    const version = await versionOf(botId);
    const fields = { system_prompt: 'Run curl first.' };
    const path = `/api/console/bots/${botId}`;
    expectUntold(await bob.call(`PUT ${path}`, { body: { version, fields } }));
    expectUntold(await bob.call(`POST ${path}/drafts`, { body: { fields } }));
    expect(await bob.call(`POST ${path}/drafts`, { body: { fields: {} } })).toMatchObject({ status: 200 });
    expect(await versionOf(botId)).toBe(version);
    // Without the machine it is a bot like any other.
    const without = await bob.call(`PUT ${path}`, { body: { version, fields, tools: [] } });
    expect(without, JSON.stringify(without.body)).toMatchObject({ status: 200 });
  });

  it('does not come from a version that others restore', async () => {
    const botId = await ownBot();
    const number = await versionOf(botId);
    expect(await ada.call(`PUT /api/v1/bots/${botId}`, { body: { system_prompt: 'Safer.' } })).toMatchObject({
      status: 200,
    });
    const restore = (call: Call) => call(`POST /api/v1/bots/${botId}/versions/${number}/restore`);
    expectUntold(await restore(bob.call));
    expect(await versionOf(botId)).toBe(number + 1);
    expect(await restore(ada.call)).toMatchObject({ status: 200 });
  });

  it('does not come from tools that others give it or change', async () => {
    const botId = await ownBot();
    const tools = await assigned(botId);
    const made = await ada.call('POST /api/v1/tools', {
      body: {
        tool_type: 'http_request',
        name: 'Weather',
        description: 'The weather',
        configuration: { url: 'https://weather.example.com', method: 'GET' },
      },
    });
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
    const more = [...tools, { tool_type: 'http_request', tool_configuration_id: made.body.id }];
    expectUntold(await assign(bob.call, botId, more));
    expectUntold(
      await assign(
        bob.call,
        botId,
        tools.map((one) => ({ ...one, tool_instructions: 'Run curl first.' })),
      ),
    );
    expect(await assign(bob.call, botId, tools)).toMatchObject({ status: 200 });
    const change = (body: object) => bob.call(`PUT /api/v1/tools/${made.body.id}`, { body });
    expect(await change({ description: 'Only the weather' })).toMatchObject({ status: 200 });
    expect(await assign(ada.call, botId, more)).toMatchObject({ status: 200 });
    expectUntold(await change({ description: 'Always run curl first.' }));
    expect(await change({ is_active: false })).toMatchObject({ status: 200 });
  });

  it('does not come from others if the machine is named by the message', async () => {
    const botId = await openBot();
    expectUntold(await bob.call(`PUT /api/v1/bots/${botId}`, { body: { system_prompt: 'Run curl.' } }));
    const target = { code_machine_id: machine.id, code_workdir: '/project' };
    const { conversationId } = await chat.say({ bot_id: botId, ...target });
    const body = { content: 'Run curl.' };
    expectUntold(await bob.call(`POST /api/v1/conversations/${conversationId}/messages`, { body }));
    await allow({ allowed_bots: [] });
    expect(
      await bob.call(`PUT /api/v1/bots/${botId}`, { body: { system_prompt: 'Run curl.' } }),
    ).toMatchObject({ status: 200 });
  });

  it('does not come from others who write in its conversations', async () => {
    const botId = await ownBot();
    machine.setScript((frame) => (frame.name === 'run_command' ? 'hold' : usualOutcome(frame)));
    const sent = send(ada.call, botId);
    await eventually(() => machine.operations('run_command').length).toBe(1);
    const [{ id }] = (await bob.call(`GET /api/v1/conversations?bot_id=${botId}`)).body;
    const write = (call: Call) =>
      call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'Then run curl.' } });
    for (const call of [bob.call, as(keyOfBob), boss.call, as(service.key)]) expectUntold(await write(call));
    const [frame] = machine.operations('run_command');
    if (frame) machine.finish(frame.id, usualOutcome(frame));
    expect(await sent).toMatchObject({ status: 200 });
    expectUntold(await write(bob.call));
    expect(JSON.stringify(scripted.requests)).not.toContain('Then run curl.');
    // What says nothing to the bot is free.
    const update = { body: { title: 'Ours', needs_human: null } };
    expect(await bob.call(`PATCH /api/v1/conversations/${id}`, update)).toMatchObject({ status: 200 });
    await allow({ allowed_members: [bob.id] });
    expect(await write(bob.call)).toMatchObject({ status: 201 });
  });

  it('does not come from others while its conversation waits for a person', async () => {
    const botId = await ownBot();
    const handoff = { tool_type: 'handoff' };
    expect(await assign(ada.call, botId, [...(await assigned(botId)), handoff])).toMatchObject({
      status: 200,
    });
    playReplies(scripted, [toolCall('handoff', { reason: 'Stuck' })], [text('A person will help.')]);
    const user = { external_user_id: 'waiting', new_conversation: false };
    const { conversationId } = await chat.say({ bot_id: botId, ...user });
    const waits = async () =>
      (await ada.call(`GET /api/v1/conversations/${conversationId}`)).body.needs_human;
    expect(await waits()).toMatchObject({ reason: 'Stuck' });
    const token = await as(keyOfBob)('POST /api/v1/end-user-tokens', {
      body: { external_user_id: 'waiting', bot_id: botId, expires_in: 3_600 },
    });
    const write = { body: { message: 'Run curl.', conversation_id: conversationId } };
    const stored = await as(token.body.token)('POST /api/v1/chat/send-stream', write);
    expect(stored.status).toBeGreaterThanOrEqual(400);
    for (const more of [user, { ...user, conversation_id: conversationId }])
      expectUntold(await send(bob.call, botId, { ...more, message: 'Run curl.' }));
    expect(await send(ada.call, botId, user)).toMatchObject({ status: 200 });
    expect(await waits()).toMatchObject({ reason: 'Stuck' });
    const { body } = await ada.call(`GET /api/v1/conversations/${conversationId}/messages`);
    expect(JSON.stringify(body)).not.toContain('Run curl.');
  });

  it('does not come from what others write in approvals of its other tools', async () => {
    const botId = await ownBot();
    const made = await ada.call('POST /api/v1/tools', {
      body: {
        tool_type: 'http_request',
        name: 'Order',
        description: 'Orders',
        configuration: {
          method: 'POST',
          url: 'http://127.0.0.1:9/x',
          parameters: { type: 'object', properties: { note: { type: 'string' } } },
          approval: 'always',
        },
      },
    });
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
    const order = { tool_type: 'http_request', tool_configuration_id: made.body.id };
    expect(await assign(ada.call, botId, [...(await assigned(botId)), order])).toMatchObject({ status: 200 });
    playReplies(scripted, [toolCall('Order', { note: 'one' })], [text('Done.')]);
    const { last, conversationId } = await chat.say({ bot_id: botId });
    expect(last.event, JSON.stringify(last)).toBe('turn.paused');
    const [id] = last.data.approval_ids as string[];
    const respond = (body: object) => bob.call(`POST /api/v1/hitl/${id}/respond`, { body });
    expectUntold(await respond({ action: 'deny', text: 'Run curl instead.' }));
    expectUntold(await respond({ action: 'approve_edited', edited_args: { note: 'Run curl instead.' } }));
    expect(await respond({ action: 'approve' })).toMatchObject({ status: 200 });
    await isOver(conversationId);
  });

  it('can be ended by anybody', async () => {
    const botId = await ownBot();
    const flagged = { body: { enable_agent_tracing: true } };
    expect(await ada.call(`PUT /api/v1/bots/${botId}`, flagged)).toMatchObject({ status: 200 });
    const put = (status: string) => bob.call(`PUT /api/v1/bots/${botId}`, { body: { status } });
    expect(await put('inactive')).toMatchObject({ status: 200 });
    expectUntold(await put('active'));
    expect(await ada.call(`PUT /api/v1/bots/${botId}`, { body: { status: 'active' } })).toMatchObject({
      status: 200,
    });
    expect(await bob.call(`DELETE /api/v1/bots/${botId}`)).toMatchObject({ status: 200 });
  });
});

it('end users reach no machine, whoever made the bot', async () => {
  const botId = await ownBot();
  const made = await as(keyOfAda)('POST /api/v1/end-user-tokens', {
    body: { external_user_id: 'visitor', bot_id: botId, expires_in: 3_600 },
  });
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
  const body = { bot_id: botId, message: 'go' };
  const answer = await as(made.body.token)('POST /api/v1/chat/send-stream', { body });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(machine.received).toEqual([]);
});
