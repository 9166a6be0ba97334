import type { Approval } from '@svc/contract/approvals';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, eventually, type SaidTurn, scriptedEnvironment } from '../support/chat.ts';
import { makeCodingBot, playReplies } from '../support/coding-bot.ts';
import { baseHash, pairScripted, type ScriptedMachine, usualOutcome } from '../support/scripted-machine.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let machine: ScriptedMachine;
let botId: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  machine = await pairScripted(service);
  await machine.connect(service.url);
  const configuration = { machine_id: machine.id, workdir: '/project', allowed_commands: ['npm test'] };
  botId = await makeCodingBot(service, configuration, { enable_agent_tracing: true });
});
afterAll(async () => {
  await machine.disconnect();
  await service.stop();
  await scripted.close();
});
beforeEach(() => {
  machine.setScript(usualOutcome);
  machine.received.length = 0;
});

const change = { path: 'a.txt', content: 'new\n' };
const basis = { files: [{ path: '/project/a.txt', hash: baseHash }] };
const say = () => chat.say({ bot_id: botId, new_conversation: true });
const respond = (approvalId: string, body: object) =>
  service.call(`POST /api/v1/hitl/${approvalId}/respond`, { body });
const approvalsOf = ({ last }: SaidTurn): string[] => last.data.approval_ids;

/** A turn that waits for the approval of a change. */
async function pausedTurn(): Promise<{ turn: SaidTurn; approvalId: string }> {
  playReplies(scripted, [toolCall('write_file', change)], [text('Done.')]);
  const turn = await say();
  expect(turn.last.event).toBe('turn.paused');
  return { turn, approvalId: approvalsOf(turn)[0] ?? '' };
}

async function ended({ conversationId }: SaidTurn) {
  const read = async () => (await service.call(`GET /api/v1/conversations/${conversationId}`)).body;
  await eventually(async () => (await read()).status).toBe('idle');
  return chat.log(conversationId);
}

describe('what an approval is based on', () => {
  it('comes with the operation when it runs, and is never shown', async () => {
    const { turn, approvalId } = await pausedTurn();
    const listed = await service.call('GET /api/v1/hitl');
    expect(listed.body).toMatchObject([{ id: approvalId, context: { kind: 'diff', path: 'a.txt' } }]);
    const answer = await respond(approvalId, { action: 'approve' });
    const log = await ended(turn);
    expect(machine.operations('write_file')).toMatchObject([{ arguments: change, basis }]);
    const call = machine.operations('write_file')[0]?.id;
    expect(log.at(-2)).toMatchObject({ event: 'message.completed' });
    const { body: conversation } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    const { body: trace } = await service.call(`GET /api/v1/conversations/${turn.conversationId}/trace`);
    expect(trace.steps.map(({ type }: { type: string }) => type)).toContain('approval');
    expect(JSON.stringify(log)).toContain(call);
    const everything = [turn.events, listed.body, answer.body, log, conversation, trace, scripted.requests];
    expect(JSON.stringify([...everything, service.logged])).not.toContain(baseHash);
  });

  it('is not changed by an answer, which cannot choose another file either', async () => {
    const { turn, approvalId } = await pausedTurn();
    const edited = { ...change, content: 'better\n' };
    const refused = [
      await respond(approvalId, { action: 'approve', basis: {} }),
      await respond(approvalId, { action: 'approve_edited', edited_args: { ...edited, path: 'b.txt' } }),
      await respond(approvalId, { action: 'approve_edited', edited_args: { ...edited, basis: {} } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(refused[1]?.body).toMatchObject({ details: [{ path: 'edited_args.path' }] });
    await respond(approvalId, { action: 'approve_edited', edited_args: edited });
    await ended(turn);
    expect(machine.operations('write_file')).toMatchObject([{ arguments: edited, basis }]);
  });

  it('does not come with a call that needed no approval', async () => {
    playReplies(scripted, [toolCall('run_command', { command: 'npm test' })], [text('Done.')]);
    await say();
    expect(machine.operations('run_command')).toHaveLength(1);
    expect(machine.operations('run_command')[0]).not.toHaveProperty('basis');
  });
});

const ranOnMachine = () =>
  machine.received.flatMap((frame) =>
    frame.type === 'operation' && !['check_workdir', 'describe_project', 'preview'].includes(frame.name)
      ? [frame.name]
      : [],
  );

describe('the calls of one reply', () => {
  it('wait for approval one by one, as their arguments require', async () => {
    const commands = ['npm test', 'npm publish'];
    playReplies(
      scripted,
      [toolCalls(commands.map((command) => ({ name: 'run_command', arguments: { command } })))],
      [text('Done.')],
    );
    const turn = await say();
    const ran = () => machine.operations('run_command').map(({ arguments: given }) => given['command']);
    expect(ran()).toEqual(['npm test']);
    expect(approvalsOf(turn)).toHaveLength(1);
    await respond(approvalsOf(turn)[0] ?? '', { action: 'approve' });
    await ended(turn);
    expect(ran()).toEqual(commands);
  });

  it('run after those that are asked about before them', async () => {
    const calls = [
      { name: 'write_file', arguments: change },
      { name: 'run_command', arguments: { command: 'npm test' } },
    ];
    playReplies(scripted, [toolCalls(calls)], [text('Done.')]);
    const turn = await say();
    expect(approvalsOf(turn)).toHaveLength(1);
    expect(ranOnMachine()).toEqual([]);
    await respond(approvalsOf(turn)[0] ?? '', { action: 'approve' });
    await ended(turn);
    expect(ranOnMachine()).toEqual(['write_file', 'run_command']);
  });

  it('that change the same file are asked about one after another', async () => {
    const again = { ...change, content: 'newer\n' };
    const other = { ...change, path: 'b.txt' };
    const calls = [change, again, other].map((given) => ({ name: 'write_file', arguments: given }));
    playReplies(scripted, [toolCalls(calls)], [text('Done.')]);
    const turn = await say();
    expect(approvalsOf(turn)).toHaveLength(2);
    for (const id of approvalsOf(turn)) await respond(id, { action: 'approve' });
    const ofTurn = `GET /api/v1/hitl?conversation_id=${turn.conversationId}`;
    const pending = async () => (await service.call(ofTurn)).body;
    await eventually(async () => (await pending()).length).toBe(1);
    const [second] = await pending();
    expect(second).toMatchObject({ arguments: again });
    // It is based on what the first one left behind.
    expect(machine.received.at(-1)).toMatchObject({ name: 'preview', arguments: { arguments: again } });
    await respond(second.id, { action: 'approve' });
    await ended(turn);
    expect(machine.operations('write_file').map(({ arguments: given }) => given)).toEqual([
      change,
      again,
      other,
    ]);
  });

  it('are shown on the machine with the bot and the conversation, even before they are approved', async () => {
    const { turn, approvalId } = await pausedTurn();
    const { body: bot } = await service.call(`GET /api/v1/bots/${botId}`);
    expect(machine.operations('preview')).toMatchObject([
      { requested_by: { bot: bot.name, conversation_id: turn.conversationId } },
    ]);
    await respond(approvalId, { action: 'deny' });
    await ended(turn);
  });

  it('that change something run one after another, in the order of the reply', async () => {
    machine.setScript((operation) => (operation.name === 'run_command' ? 'hold' : usualOutcome(operation)));
    const calls = Array.from({ length: 3 }, () => ({
      name: 'run_command',
      arguments: { command: 'npm test' },
    }));
    playReplies(scripted, [toolCalls(calls)], [text('Done.')]);
    const reader = await chat.send({ bot_id: botId, new_conversation: true });
    const started = () =>
      reader.events.flatMap(({ event, data }) => (event === 'tool.started' ? [data.tool_call_id] : []));
    const sent = () => machine.operations('run_command').map(({ id }) => id);
    for (const count of [1, 2, 3]) {
      await eventually(() => sent().length).toBe(count);
      expect(sent()).toEqual(started().slice(0, count));
      const [operation] = machine.operations('run_command').slice(-1);
      if (operation) machine.finish(operation.id, usualOutcome(operation));
    }
    expect((await reader.ended()).events.at(-1)).toMatchObject({ event: 'turn.completed' });
  });

  it.each([
    ['a person', 'write_file', change],
    ['an earlier one', 'run_command', { command: 'npm test' }],
  ])('that wait for %s are asked about if their tool has come to ask', async (_whom, name, given) => {
    const own = { machine_id: machine.id, workdir: '/project' };
    const coder = await makeCodingBot(service, { ...own, allowed_commands: ['npm test'] });
    const ranAlready: string[] = name === 'run_command' ? [name] : [];
    machine.setScript((operation) => (operation.name === 'run_command' ? 'hold' : usualOutcome(operation)));
    const calls = [
      { name, arguments: given },
      { name: 'run_command', arguments: { command: 'npm test' } },
    ];
    playReplies(scripted, [toolCalls(calls)], [text('Done.')]);
    const reader = await chat.send({ bot_id: coder, new_conversation: true });
    const pending = async () => (await service.call(`GET /api/v1/hitl?bot_id=${coder}`)).body;
    if (ranAlready.length > 0) await eventually(ranOnMachine).toEqual(ranAlready);
    else await eventually(async () => (await pending()).length).toBe(1);
    const [{ tool }] = (await service.call(`GET /api/v1/tools/bot?bot_id=${coder}`)).body;
    const changed = await service.call(`PUT /api/v1/tools/${tool.id}`, { body: { configuration: own } });
    expect(changed).toMatchObject({ status: 200 });
    const [first] = machine.operations('run_command');
    if (first) machine.finish(first.id, usualOutcome(first));
    else await respond((await pending())[0].id, { action: 'deny' });
    await eventually(async () => (await pending()).map((one: Approval) => one.arguments)).toEqual([
      { command: 'npm test' },
    ]);
    expect(ranOnMachine()).toEqual(ranAlready);
    machine.setScript(usualOutcome);
    const [{ id, conversation_id: conversationId }] = await pending();
    await respond(id, { action: 'approve' });
    await eventually(async () => {
      return (await service.call(`GET /api/v1/conversations/${conversationId}`)).body.status;
    }).toBe('idle');
    reader.close();
    expect(ranOnMachine()).toEqual([...ranAlready, 'run_command']);
    expect(machine.operations('run_command').at(-1)).toMatchObject({ approval: { id } });
  });

  it('are not asked about if they cannot succeed: the model is told why', async () => {
    const problem = 'The text to replace occurs twice.';
    machine.setScript((operation) => {
      const isEdit = operation.name === 'preview' && operation.arguments['operation'] === 'edit_file';
      return isEdit ? { status: 'error', message: problem } : usualOutcome(operation);
    });
    const edit = { path: 'a.txt', old_text: 'a', new_text: 'b' };
    const calls = [
      { name: 'edit_file', arguments: edit },
      { name: 'write_file', arguments: change },
    ];
    playReplies(scripted, [toolCalls(calls)], [text('Done.')]);
    const turn = await say();
    expect(turn.events.filter(({ event }) => event === 'tool.completed')).toMatchObject([
      { data: { status: 'error', result: { error: problem } } },
    ]);
    expect(approvalsOf(turn)).toHaveLength(1);
    await respond(approvalsOf(turn)[0] ?? '', { action: 'approve' });
    await ended(turn);
    expect(machine.operations('edit_file')).toEqual([]);
    const results = askedBy(scripted.requests.at(-1)).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content)).toContain(problem);

    playReplies(scripted, [toolCall('edit_file', edit)], [text('I give up.')]);
    const alone = await say();
    expect(alone.last.event).toBe('turn.completed');
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select 1 from approvals where conversation_id = ${alone.conversationId}`,
    );
    expect(rows).toEqual([]);
  });
});
