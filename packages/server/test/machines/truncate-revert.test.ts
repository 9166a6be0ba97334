import type { OperationFrame } from '@svc/contract/machine-protocol';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { makeCodingBot, playReplies } from '../support/coding-bot.ts';
import { makeMember } from '../support/members.ts';
import { pairScripted, type ScriptedMachine, usualOutcome } from '../support/scripted-machine.ts';
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
  const configuration = { machine_id: machine.id, workdir: '/project' };
  const free = { approval_writes: 'never', approval_commands: 'never' };
  botId = await makeCodingBot(service, { ...configuration, ...free });
});
afterAll(async () => {
  await machine.disconnect();
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  machine.received.length = 0;
  machine.setScript((operation) =>
    operation.name === 'revert' ? revertAll(operation) : usualOutcome(operation),
  );
  if (!machine.isConnected()) await machine.connect(service.url);
});

const write = (path: string) => toolCall('write_file', { path, content: 'new\n' });

/** Restores the first operation's file, and leaves the others because somebody has changed them. */
function revertAll({ arguments: given }: OperationFrame) {
  const ids = given['operation_ids'] as string[];
  const files = ids.map((id, index) => ({
    operation_id: id,
    path: `/project/${index}.txt`,
    ...(index === 0 ? { outcome: 'restored' } : { outcome: 'changed_since', reason: 'It was changed.' }),
  }));
  return { status: 'ok' as const, value: { files } };
}

/** A conversation whose second message led to two changes and a command. */
async function changedConversation(): Promise<{ id: string; kept: string; calls: string[] }> {
  playReplies(
    scripted,
    [text('Hello.')],
    [write('a.txt')],
    [toolCall('run_command', { command: 'make' })],
    [write('b.txt')],
    [text('Done.')],
  );
  const first = await chat.say({ bot_id: botId, external_user_id: 'ada', new_conversation: true });
  const { conversationId: id } = first;
  await chat.say({ external_user_id: 'ada', conversation_id: id });
  const calls = [...machine.operations('write_file'), ...machine.operations('run_command')];
  return { id, kept: first.messageId ?? '', calls: calls.map((call) => call.id) };
}

const truncate = (id: string, body: object) =>
  service.call(`POST /api/v1/conversations/${id}/truncate`, { body });
const countMessages = async (id: string) =>
  (await service.call(`GET /api/v1/conversations/${id}`)).body.message_count as number;

it('truncating can undo the changes that it removes, the newest first, and reports what was undone', async () => {
  const { id, kept, calls } = await changedConversation();
  const [older, newer, command] = calls;
  const truncated = await truncate(id, { message_id: kept, revert_files: true });
  expect(machine.operations('revert')).toMatchObject([{ arguments: { operation_ids: [newer, older] } }]);
  expect(truncated).toMatchObject({ status: 200 });
  const { reverted_files: files, executed_tool_calls: left } = truncated.body;
  expect(files).toEqual([
    { path: '/project/0.txt', machine_id: machine.id, status: 'restored' },
    { path: '/project/1.txt', machine_id: machine.id, status: 'changed_since', reason: 'It was changed.' },
  ]);
  const ids = left.map((call: { id: string }) => call.id);
  expect(ids.toSorted()).toEqual([older, command].toSorted());
  expect(await countMessages(id)).toBe(2);
});

it('undoes nothing for somebody who may not use the machine', async () => {
  const { id, kept } = await changedConversation();
  const colleague = await makeMember(service, { role: 'owner' });
  const body = { message_id: kept, revert_files: true };
  const before = await countMessages(id);
  expect(await colleague.call(`POST /api/v1/conversations/${id}/truncate`, { body })).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN' },
  });
  expect(machine.operations('revert')).toEqual([]);
  expect(await countMessages(id)).toBe(before);
});

it('truncating undoes only what comes after the message', async () => {
  const { id, calls } = await changedConversation();
  const { body } = await service.call(`GET /api/v1/conversations/${id}`);
  // The message that proposes the second change stays, and its result goes.
  const proposal = body.messages.findLast((one: { tool_calls: object[] }) => one.tool_calls.length > 0);
  await truncate(id, { message_id: proposal.id, revert_files: true });
  expect(machine.operations('revert')).toMatchObject([{ arguments: { operation_ids: [calls[1]] } }]);
});

it('truncating leaves files alone unless that is requested, and where nothing was changed', async () => {
  const { id, kept, calls } = await changedConversation();
  const plain = await truncate(id, { message_id: kept });
  expect(plain.body).not.toHaveProperty('reverted_files');
  expect(plain.body.executed_tool_calls).toHaveLength(calls.length);
  const again = await truncate(id, { message_id: kept, revert_files: true });
  expect(again.body).toMatchObject({ removed_messages: 0, reverted_files: [] });
  expect(machine.operations('revert')).toEqual([]);
});

it('truncating lists neither calls that only read nor calls that could not run', async () => {
  playReplies(
    scripted,
    [text('Hello.')],
    [toolCall('read_file', { path: 'a.txt' })],
    [toolCall('run_command', { line: 'make' })],
    [toolCall('run_command', { command: 'make' })],
  );
  const first = await chat.say({ bot_id: botId, external_user_id: 'ada', new_conversation: true });
  const { conversationId: id } = first;
  await chat.say({ external_user_id: 'ada', conversation_id: id });
  const { body } = await truncate(id, { message_id: first.messageId });
  const [command] = machine.operations('run_command');
  expect(machine.operations('read_file')).toHaveLength(1);
  expect(body.executed_tool_calls).toEqual([{ id: command?.id, name: 'run_command' }]);
});

it('truncating says what to do if a machine was revoked', async () => {
  const other = await pairScripted(service);
  await other.connect(service.url);
  const configuration = { machine_id: other.id, workdir: '/project', approval_writes: 'never' };
  const bot = await makeCodingBot(service, configuration);
  playReplies(scripted, [write('a.txt')]);
  const turn = await chat.say({ bot_id: bot, external_user_id: 'ada', new_conversation: true });
  await service.call(`DELETE /api/v1/machines/${other.id}`);
  const body = { message_id: turn.userMessageId, revert_files: true };
  expect(await truncate(turn.conversationId, body)).toMatchObject({
    status: 409,
    body: { message: expect.stringMatching(/was revoked.*truncate without revert_files/) },
  });
});

it('nothing is removed while the machine is not connected', async () => {
  const { id, kept } = await changedConversation();
  const before = await countMessages(id);
  await machine.disconnect();
  const machines = async () => (await service.call('GET /api/v1/machines')).body[0].status;
  await eventually(machines).toBe('offline');
  const refused = await truncate(id, { message_id: kept, revert_files: true });
  expect(refused).toMatchObject({ status: 409, body: { code: 'MACHINE_OFFLINE' } });
  expect(await countMessages(id)).toBe(before);
  await machine.connect(service.url);
  expect(await truncate(id, { message_id: kept, revert_files: true })).toMatchObject({ status: 200 });
});

it('nothing is removed if a turn came in between, because its changes were not undone', async () => {
  const { id, kept } = await changedConversation();
  machine.setScript((operation) => (operation.name === 'revert' ? 'hold' : usualOutcome(operation)));
  const truncating = truncate(id, { message_id: kept, revert_files: true });
  await eventually(() => machine.operations('revert').length).toBe(1);
  await chat.say({ external_user_id: 'ada', conversation_id: id });
  const before = await countMessages(id);
  const [revert] = machine.operations('revert');
  if (revert) machine.finish(revert.id, revertAll(revert));
  expect(await truncating).toMatchObject({ status: 409, body: { code: 'TURN_IN_PROGRESS' } });
  expect(await countMessages(id)).toBe(before);
  machine.setScript(revertAll);
  expect(await truncate(id, { message_id: kept, revert_files: true })).toMatchObject({ status: 200 });
});

it('nothing is undone while a turn runs, nor for a message that does not exist', async () => {
  const { id, kept } = await changedConversation();
  machine.setScript((operation) => (operation.name === 'run_command' ? 'hold' : usualOutcome(operation)));
  playReplies(scripted, ...Array.from({ length: 5 }, () => [text('Hello.')]), [
    toolCall('run_command', { command: 'sleep' }),
  ]);
  const reader = await chat.send({ external_user_id: 'ada', conversation_id: id });
  await eventually(() => machine.operations('run_command').length).toBe(2);
  expect(await truncate(id, { message_id: kept, revert_files: true })).toMatchObject({
    status: 409,
    body: { code: 'TURN_IN_PROGRESS' },
  });
  expect(await truncate(id, { message_id: botId, revert_files: true })).toMatchObject({ status: 404 });
  expect(machine.operations('revert')).toEqual([]);
  await service.call('POST /api/v1/chat/stop', { body: { conversation_id: id } });
  await reader.ended();
});
