import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { giveTools, makeAgent, readConversation, runToItsEnd, startRun } from '../support/agents.ts';
import { askedBy, chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { allowBot, makeCodingBot, playReplies, runCodingTurn, toolTexts } from '../support/coding-bot.ts';
import { pairScripted, type ScriptedMachine, usualOutcome } from '../support/scripted-machine.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const user = 'ada';
const by = { external_user_id: user };

let scripted: ScriptedModel;
let service: TestApp;
let machine: ScriptedMachine;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: scriptedEnvironment(scripted),
    scheduleEveryMilliseconds: 50,
  });
  machine = await pairScripted(service);
  await machine.connect(service.url);
});
afterAll(async () => {
  await machine.disconnect();
  await service.stop();
  await scripted.close();
});
beforeEach(() => {
  machine.setScript(usualOutcome);
  machine.received.length = 0;
  scripted.requests.length = 0;
  playReplies(scripted, [text('Done.')]);
});

const send = (body: object) =>
  service.call('POST /api/v1/chat/send-stream', {
    body: { message: 'hello', external_user_id: user, new_conversation: true, ...body },
  });

/** The request was refused before anything was written and before the model was asked. */
async function expectNothing(botId: string): Promise<void> {
  const { body } = await service.call(`GET /api/v1/conversations?bot_id=${botId}`);
  expect(body).toEqual([]);
  expect(scripted.requests).toEqual([]);
}

describe('a message to a bot that works on a machine', () => {
  it('works in the place of the configuration, and its own fills in what is blank there', async () => {
    playReplies(scripted, [toolCall('run_command', { command: 'make' })]);
    const free = { approval_commands: 'never' };
    const fixed = await makeCodingBot(service, { ...free, machine_id: machine.id, workdir: '/fixed' });
    const open = await makeCodingBot(service, { ...free, machine_id: machine.id, workdir: '' });
    const place = { code_machine_id: machine.id, code_workdir: '/given' };
    for (const botId of [fixed, open]) await chat.say({ bot_id: botId, ...place });
    const workdirs = (name: 'check_workdir' | 'run_command') =>
      machine.operations(name).map(({ workdir }) => workdir);
    expect(workdirs('check_workdir')).toEqual(['/fixed', '/given']);
    expect(workdirs('run_command')).toEqual(['/fixed', '/given']);
  });

  it('is sent with what the model should know of the project, unless reading asks first', async () => {
    const described = {
      workdir: '/fixed',
      system: 'Linux 6.1.0 (x64)',
      shell: '/bin/sh',
      date: '2026-11-18 (Europe/Berlin)',
      git: { branch: 'main', changes: [], commits: [], truncated: false },
      instructions: [{ path: 'AGENTS.md', text: 'Use tabs.\n', truncated: false }],
      more_instructions: [],
    };
    machine.setScript((operation) =>
      operation.name === 'describe_project' ? { status: 'ok', value: described } : usualOutcome(operation),
    );
    const place = { machine_id: machine.id, workdir: '/fixed' };
    const free = await makeCodingBot(service, place);
    const asking = await makeCodingBot(service, { ...place, approval_reads: 'always' });
    for (const botId of [free, asking]) await chat.say({ bot_id: botId });
    const [first, second] = scripted.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('on the branch main');
    expect(first).toContain('Use tabs.');
    expect(second).not.toContain('Use tabs.');
    expect(machine.operations('describe_project')).toHaveLength(1);
  });

  it('shows images to models that see, and stores none', async () => {
    const data = Buffer.from('an image').toString('base64');
    const value = { path: 'a.png', size: 8, image: { media_type: 'image/png', data } };
    machine.setScript((operation) =>
      operation.name === 'read_file' ? { status: 'ok', value } : usualOutcome(operation),
    );
    playReplies(scripted, [toolCall('read_file', { path: 'a.png' })], [text('A cat.')], [text('Yes.')]);
    const place = { machine_id: machine.id, workdir: '/fixed' };
    const botId = await makeCodingBot(service, place, { enable_agent_tracing: true });
    const { conversationId, events } = await chat.say({ bot_id: botId, external_user_id: user });
    expect(machine.operations('read_file')).toMatchObject([{ arguments: { path: 'a.png', images: true } }]);
    const shown = () => JSON.stringify(scripted.requests.at(-1)?.body).includes(data);
    expect(shown()).toBe(true);
    await chat.say({ bot_id: botId, external_user_id: user, conversation_id: conversationId });
    expect(shown()).toBe(false);
    const { body: trace } = await service.call(`GET /api/v1/conversations/${conversationId}/trace`);
    const { body: conversation } = await service.call(`GET /api/v1/conversations/${conversationId}`);
    expect(JSON.stringify([events, trace, conversation])).not.toContain(data);
    expect(JSON.stringify(trace)).toContain('image/png');
    machine.received.length = 0;
    const blind = await makeCodingBot(service, place, { model: 'openai/llama3.1' });
    await chat.say({ bot_id: blind });
    expect(machine.operations('read_file')).toMatchObject([{ arguments: { path: 'a.png' } }]);
    expect(machine.operations('read_file')[0]?.arguments).not.toHaveProperty('images');
  });

  it('names the machine in upper or lower case', async () => {
    const id = machine.id.toUpperCase();
    const fixed = await makeCodingBot(service, { machine_id: id, workdir: '/fixed' });
    const open = await makeCodingBot(service, { workdir: '/fixed' });
    await chat.say({ bot_id: fixed });
    await chat.say({ bot_id: open, code_machine_id: id });
    expect(machine.operations('check_workdir')).toHaveLength(2);
  });

  it('needs no place until a tool is called, which is then an error to the model', async () => {
    const botId = await makeCodingBot(service, {});
    for (const place of [{}, { code_machine_id: machine.id }]) {
      expect((await chat.say({ bot_id: botId, new_conversation: true, ...place })).last.event).toBe(
        'turn.completed',
      );
    }
    const calls = [
      { name: 'read_file', arguments: { path: 'a.txt' } },
      { name: 'run_command', arguments: { command: 'make' } },
    ];
    playReplies(scripted, [toolCalls(calls)]);
    const turn = await chat.say({ bot_id: botId, new_conversation: true });
    expect(turn.last.event).toBe('turn.completed');
    const told = expect.stringContaining('send the message with code_machine_id');
    expect(toolTexts(scripted)).toEqual([told, told]);
    expect(machine.received).toEqual([]);
  });

  it('works where the last message of its conversation that named a place did', async () => {
    scripted.respondWith((request) =>
      askedBy(request).at(-1)?.role === 'user'
        ? [toolCall('run_command', { command: 'make' })]
        : [text('Done.')],
    );
    const botId = await makeCodingBot(service, { approval_commands: 'never' });
    const place = { code_machine_id: machine.id, code_workdir: '/first' };
    const { conversationId } = await chat.say({ ...by, bot_id: botId, ...place });
    const workdirs = () => machine.operations('run_command').map(({ workdir }) => workdir);
    // With its id, and as the latest of the user.
    await chat.say({ ...by, conversation_id: conversationId });
    await chat.say({ ...by, bot_id: botId });
    await chat.say({ ...by, conversation_id: conversationId, code_workdir: '/second' });
    await chat.say({ ...by, conversation_id: conversationId });
    expect(workdirs()).toEqual(['/first', '/first', '/first', '/second', '/second']);
    // A directory belongs to its machine.
    const other = await pairScripted(service);
    await allowBot(service, botId, other.id);
    await chat.say({ ...by, conversation_id: conversationId, code_machine_id: other.id });
    expect(toolTexts(scripted).at(-1)).toContain('code_workdir');
    // It is not remembered in another conversation.
    await chat.say({ ...by, bot_id: botId, new_conversation: true });
    expect(toolTexts(scripted).at(-1)).toContain('code_machine_id');
    expect(workdirs()).toHaveLength(5);
  });

  it('is answered even if the machine that its conversation remembers is gone', async () => {
    const gone = await pairScripted(service);
    const botId = await makeCodingBot(service, {});
    const { conversationId } = await chat.say({ ...by, bot_id: botId, code_machine_id: gone.id });
    await service.call(`DELETE /api/v1/machines/${gone.id}`);
    const turn = await chat.say({ ...by, conversation_id: conversationId });
    expect(turn.last.event).toBe('turn.completed');
  });

  it('is refused if the machine is unknown, revoked or of another workspace, whatever the bot', async () => {
    const other = await service.makeWorkspace();
    const theirs = await pairScripted(service, other.key);
    const revoked = await pairScripted(service);
    await service.call(`DELETE /api/v1/machines/${revoked.id}`);
    const coder = await makeCodingBot(service, { workdir: '/project' });
    const plain = await chat.bot();
    for (const botId of [coder, plain]) {
      for (const id of [randomUUID(), theirs.id, revoked.id]) {
        const refused = await send({ bot_id: botId, code_machine_id: id });
        expect(refused).toMatchObject({
          status: 404,
          body: { code: 'NOT_FOUND', details: [{ path: 'code_machine_id' }] },
        });
      }
      await expectNothing(botId);
    }
    const broken = await makeCodingBot(service, { machine_id: revoked.id, workdir: '/project' });
    expect(await send({ bot_id: broken })).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('machine_id of the tool "Project"') },
    });
  });

  it('is refused if the machine is not connected', async () => {
    const offline = await pairScripted(service);
    const botId = await makeCodingBot(service, { machine_id: offline.id, workdir: '/project' });
    expect(await send({ bot_id: botId })).toMatchObject({
      status: 409,
      body: { code: 'MACHINE_OFFLINE' },
    });
    await expectNothing(botId);
  });

  it('is refused if the machine does not allow work in the directory', async () => {
    machine.setScript(() => ({ status: 'error', message: '/etc is outside of the roots.' }));
    const open = await makeCodingBot(service, { machine_id: machine.id });
    expect(await send({ bot_id: open, code_workdir: '/etc' })).toMatchObject({
      status: 400,
      body: { message: 'code_workdir cannot be used: /etc is outside of the roots.' },
    });
    const fixed = await makeCodingBot(service, { machine_id: machine.id, workdir: '/etc' });
    expect(await send({ bot_id: fixed })).toMatchObject({
      status: 409,
      body: { code: 'WORKDIR_UNAVAILABLE' },
    });
    await expectNothing(open);
    await expectNothing(fixed);
  });

  it('is refused even if the bot was remembered without its coding tool', async () => {
    const botId = await chat.bot();
    await chat.say({ bot_id: botId });
    const configuration = { machine_id: randomUUID(), workdir: '/project' };
    await giveTools(service, botId, [{ tool_type: 'coding', name: 'Project', configuration }]);
    expect(await send({ bot_id: botId })).toMatchObject({ status: 404 });
    expect(scripted.requests).toHaveLength(1);
  });
});

describe('a conversation in plan mode', () => {
  const plan = 'Change a.txt, then run make.';
  const write = toolCall('write_file', { path: 'a.txt', content: 'x' });
  const offered = () => {
    const tools = scripted.requests.at(-1)?.body['tools'] as { function: { name: string } }[] | undefined;
    return (tools ?? []).map((one) => one.function.name);
  };

  it('can only read until its plan is approved, and then works', async () => {
    const botId = await makeCodingBot(service, { machine_id: machine.id, workdir: '/project' });
    playReplies(
      scripted,
      [write],
      [toolCall('present_plan', { plan: 'Delete everything.' })],
      [toolCall('present_plan', { plan })],
      [write],
    );
    const during: string[][] = [];
    const turn = await runCodingTurn(
      service,
      { ...by, bot_id: botId, code_mode: 'plan', new_conversation: true },
      ({ context, tool_name: name }) => {
        during.push(offered());
        if (name !== 'present_plan') return { action: 'approve' };
        return context.kind === 'call' && context.summary === plan
          ? { action: 'approve' }
          : { action: 'deny', text: 'Too much.' };
      },
    );
    expect(turn.approvals.map(({ tool_name: name }) => name)).toEqual([
      'present_plan',
      'present_plan',
      'write_file',
    ]);
    expect(during[0]).toContain('read_file');
    expect(during[0]).not.toContain('write_file');
    expect(during[0]).not.toContain('run_command');
    expect(during[2]).toContain('write_file');
    expect(during[2]).not.toContain('present_plan');
    expect(toolTexts(scripted)).toEqual([
      expect.stringContaining('There is no tool named write_file'),
      expect.stringContaining('Too much.'),
      expect.stringContaining('The plan was approved'),
      expect.stringContaining('a.txt: modified'),
    ]);
    expect(machine.operations('write_file')).toHaveLength(1);
    // Its next turn is not in plan mode.
    playReplies(scripted, [text('Fine.')]);
    await chat.say({ ...by, conversation_id: turn.conversationId });
    expect(offered()).toContain('write_file');
  });

  it('stays in it until a message ends it', async () => {
    const botId = await makeCodingBot(service, { machine_id: machine.id, workdir: '/project' });
    const { conversationId } = await chat.say({ ...by, bot_id: botId, code_mode: 'plan' });
    expect(offered()).toContain('present_plan');
    await chat.say({ ...by, conversation_id: conversationId });
    expect(offered()).toContain('present_plan');
    await chat.say({ ...by, conversation_id: conversationId, code_mode: 'work' });
    expect(offered()).not.toContain('present_plan');
    expect(offered()).toContain('write_file');
  });

  it('needs a bot that can present a plan', async () => {
    const botId = await chat.bot();
    expect(await send({ bot_id: botId, code_mode: 'plan' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'code_mode' }] },
    });
    await expectNothing(botId);
  });
});

it('a bot without such a tool never asks a machine', async () => {
  const botId = await chat.bot();
  const turn = await chat.say({ bot_id: botId, code_machine_id: machine.id, code_workdir: '/etc' });
  expect(turn.last.event).toBe('turn.completed');
  expect(machine.received).toEqual([]);
});

it('it is stored with a bot whether one of its tools works on machines', async () => {
  const usesMachine = async () => {
    const { rows } = await service.database.acrossWorkspaces.execute<{ uses_machine: boolean }>(
      sql`select uses_machine from bots where id = ${botId}`,
    );
    return rows[0]?.uses_machine;
  };
  const botId = await makeCodingBot(service, {});
  expect(await usesMachine()).toBe(true);
  await giveTools(service, botId, ['calculator']);
  expect(await usesMachine()).toBe(false);
  const restored = await service.call(`POST /api/v1/bots/${botId}/versions/2/restore`);
  expect(restored).toMatchObject({ status: 200 });
  expect(await usesMachine()).toBe(true);
  const { body } = await service.call(`GET /api/v1/tools/bot?bot_id=${botId}`);
  await service.call(`DELETE /api/v1/tools/${body[0].tool.id}`);
  expect(await usesMachine()).toBe(false);
});

describe('a run of an agent that works on a machine', () => {
  it('is accepted if its machine cannot be used, and fails on its conversation', async () => {
    const gone = await pairScripted(service);
    const agentId = await makeAgent(service);
    const configuration = { machine_id: gone.id, workdir: '/project' };
    await allowBot(service, agentId, gone.id);
    await giveTools(service, agentId, [{ tool_type: 'coding', name: 'Project', configuration }]);
    await service.call(`DELETE /api/v1/machines/${gone.id}`);
    expect(await runToItsEnd(service, agentId)).toMatchObject({
      status: 'failed',
      run: {
        iterations: 0,
        error: { code: 'NOT_FOUND', message: expect.stringContaining('machine_id of the tool "Project"') },
      },
    });
    expect(scripted.requests).toEqual([]);
  });

  it('waits for a machine that is offline', async () => {
    const offline = await pairScripted(service);
    const agentId = await makeAgent(service);
    const configuration = { machine_id: offline.id, workdir: '/project' };
    await allowBot(service, agentId, offline.id);
    await giveTools(service, agentId, [{ tool_type: 'coding', name: 'Project', configuration }]);
    const conversationId = await startRun(service, agentId);
    expect(await readConversation(service, conversationId)).toMatchObject({ run: { status: 'running' } });
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
  });

  it('fails with the reason before its model is asked, if it was scheduled', async () => {
    machine.setScript(() => ({ status: 'error', message: '/etc is outside of the roots.' }));
    const agentId = await makeAgent(service);
    const configuration = { machine_id: machine.id, workdir: '/etc' };
    await allowBot(service, agentId, machine.id);
    await giveTools(service, agentId, [{ tool_type: 'coding', name: 'Project', configuration }]);
    await service.database.acrossWorkspaces.execute(
      sql`update bots set schedule = '* * * * *', next_run_at = now() - interval '1 second',
        schedule_read_at = now() - interval '70 seconds' where id = ${agentId}`,
    );
    const runOf = async () => {
      const { body } = await service.call(`GET /api/v1/conversations?bot_id=${agentId}`);
      return body[0]?.run;
    };
    await eventually(async () => (await runOf())?.status).toBe('failed');
    expect((await runOf()).error).toEqual({
      code: 'WORKDIR_UNAVAILABLE',
      message: 'The directory of the tool "Project" cannot be used: /etc is outside of the roots.',
    });
    expect(scripted.requests).toEqual([]);
    // Its schedule is due again at the next full minute, when another test would see its requests.
    await service.call(`DELETE /api/v1/bots/${agentId}`);
  });
});
