import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Approval } from '@svc/contract/approvals';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { isSandboxPossible } from '../../../machine/test/support/sandbox-possible.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { type CodeRepository, makeRepository } from '../support/code-repository.ts';
import {
  type Decide,
  makeCodingBot,
  pairMachine,
  playReplies,
  runCodingTurn,
  toolTexts,
} from '../support/coding-bot.ts';
import { type MachineDaemon, startDaemon } from '../support/machine-daemon.ts';
import { runningCommands } from '../support/running-commands.ts';
import { createCall, startTestApp, type TestApp } from '../support/test-app.ts';
import { startNode } from '../support/test-node.ts';

/** A bot works in a real repository through a real daemon; only the model is scripted. */
const files = {
  'sum.mjs': 'export function sum(a, b) {\n  return a - b;\n}\n',
  'check.mjs': [
    "import { sum } from './sum.mjs';",
    "console.log('checking');",
    'await new Promise((wake) => setTimeout(wake, 300));',
    "if (sum(2, 3) !== 5) throw new Error('2 + 3 must be 5');",
    "console.log('all fine');",
    '',
  ].join('\n'),
};

/** Some of these bots work without asking, which the owner of the machine has to allow too. */
const allowListed = ['--policy', 'allow-listed', '--allow-edits'];

let service: TestApp;
let scripted: ScriptedModel;
let repository: CodeRepository;
let daemon: MachineDaemon;
let machineId: string;

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  repository = await makeRepository(files);
  const machine = await pairMachine(service);
  machineId = machine.id;
  daemon = await startDaemon({
    url: service.url,
    key: machine.token,
    roots: [repository.folder],
    stateFolder: repository.stateFolder,
    isSandboxed: isSandboxPossible,
    args: [...allowListed, '--allow', 'node check.mjs', '--allow', 'sh wait.sh'],
  });
  await daemon.connected();
});
afterAll(async () => {
  await daemon.stop();
  await repository.remove();
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  scripted.reset();
  await repository.git('reset', '--hard', '-q');
  await repository.git('clean', '-fdxq');
});

const botWith = (settings: object = {}) =>
  makeCodingBot(service, { machine_id: machineId, workdir: repository.folder, ...settings });
const read = (name: string) => readFile(repository.path(name), 'utf8');

it('fixes a failing test with three approvals: one approved, one edited, one denied', async () => {
  const botId = await botWith({ allowed_commands: ['node check.mjs'] });
  playReplies(
    scripted,
    [toolCall('run_command', { command: 'node check.mjs' })],
    [
      toolCalls([
        { name: 'read_file', arguments: { path: 'sum.mjs' } },
        { name: 'search', arguments: { query: 'sum(' } },
      ]),
    ],
    [toolCall('edit_file', { path: 'sum.mjs', old_text: 'a - b', new_text: 'a + b' })],
    [toolCall('write_file', { path: 'notes/CHANGES.md', content: 'fixd sum\n' })],
    [toolCall('run_command', { command: 'git commit -am done && git push' })],
    [toolCall('run_command', { command: 'node check.mjs' })],
    [text('The test passes.')],
  );
  const decide: Decide = ({ tool_name: name, arguments: given }) => {
    if (name === 'run_command') return { action: 'deny', text: 'I commit myself.' };
    if (name === 'write_file')
      return { action: 'approve_edited', edited_args: { ...given, content: 'Fixed sum.\n' } };
    return { action: 'approve' };
  };

  const turn = await runCodingTurn(service, { bot_id: botId, message: 'Fix the test.' }, decide);

  expect(turn.events.at(-1)).toMatchObject({ event: 'turn.completed' });
  const [edit, write, command] = turn.approvals;
  expect(turn.approvals).toHaveLength(3);
  expect(edit?.context).toMatchObject({
    kind: 'diff',
    path: 'sum.mjs',
    diff: expect.stringContaining('-  return a - b;\n+  return a + b;'),
  });
  expect(write?.context).toMatchObject({
    kind: 'diff',
    path: 'notes/CHANGES.md',
    diff: expect.stringContaining('+fixd sum'),
  });
  expect(command?.context).toEqual({
    kind: 'command',
    command: 'git commit -am done && git push',
    cwd: repository.folder,
    machine: 'test-machine',
  });
  // What was approved is what happened, and nothing else.
  expect(await read('sum.mjs')).toBe(files['sum.mjs'].replace('a - b', 'a + b'));
  expect(await read('notes/CHANGES.md')).toBe('Fixed sum.\n');
  expect(await repository.git('status', '--porcelain')).toBe(' M sum.mjs\n?? notes/\n');
  expect(await repository.git('log', '--oneline')).toMatch(/^\w+ Start\n$/);
  expect(hunksOf(await repository.git('diff'))).toBe(hunksOf(diffOf(edit)));

  expect(turn.results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'denied', 'ok']);
  const texts = toolTexts(scripted);
  expect(texts[0]).toMatch(/^Exit code 1 .*\n[\s\S]*2 \+ 3 must be 5/);
  expect(texts[1]).toBe(`sum.mjs, lines 1 to 3 of 3.\n${files['sum.mjs']}`);
  expect(texts[2]).toMatch(/^check\.mjs:4: .*\n/m);
  expect(texts[3]).toBe('sum.mjs: modified (+1 -1 lines)');
  expect(texts[4]).toMatch(/^A person changed the arguments.*Fixed sum.*\n\nnotes\/CHANGES\.md: created/s);
  expect(texts[5]).toContain('I commit myself.');
  expect(texts[6]).toMatch(/^Exit code 0 .*\nchecking\nall fine\n/);
  const progress = turn.events.filter(({ event }) => event === 'tool.progress').map(({ data }) => data.text);
  expect(progress.join('')).toContain('checking');
  expect(daemon.output()).toContain('Coder');
  expect(daemon.output()).not.toContain('[svc] preview');
});

it('rejects an approved change of a file that somebody changed meanwhile, and the model reads why', async () => {
  const botId = await botWith();
  const edit = toolCall('edit_file', { path: 'sum.mjs', old_text: 'a - b', new_text: 'a + b' });
  playReplies(scripted, [edit], [edit], [text('Done.')]);
  const byHand = `// Ada was here.\n${files['sum.mjs']}`;
  let asked = 0;
  const turn = await runCodingTurn(service, { bot_id: botId }, async () => {
    asked += 1;
    if (asked === 1) await writeFile(repository.path('sum.mjs'), byHand);
    return { action: 'approve' };
  });
  expect(turn.results.map(({ status }) => status)).toEqual(['error', 'ok']);
  expect(toolTexts(scripted)[0]).toMatch(/changed since/);
  expect(turn.approvals[1]?.context).toMatchObject({ diff: expect.stringContaining('Ada was here') });
  expect(await read('sum.mjs')).toBe(byHand.replace('a - b', 'a + b'));
});

it.each(['approve', 'deny'])('asks before it reads a file with secrets: %s', async (action) => {
  const botId = await botWith({ approval_reads: 'never' });
  await writeFile(repository.path('.env'), 'TOKEN=hunter2\n');
  playReplies(
    scripted,
    [toolCall('search', { query: 'TOKEN' })],
    [toolCall('read_file', { path: 'sum.mjs' })],
    [toolCall('read_file', { path: '.env' })],
  );
  const turn = await runCodingTurn(service, { bot_id: botId }, () => ({ action }));
  expect(turn.approvals.map(({ context }) => context)).toEqual([
    { kind: 'call', summary: expect.stringContaining('.env') },
  ]);
  const [found, plain, secret] = toolTexts(scripted);
  expect(found).toContain('Nothing was found');
  expect(plain).toContain('export function sum');
  if (action === 'approve') expect(secret).toContain('hunter2');
  else expect(secret).not.toContain('hunter2');
});

it('asks nobody about a change that cannot succeed', async () => {
  const botId = await botWith();
  playReplies(
    scripted,
    [toolCall('edit_file', { path: 'sum.mjs', old_text: 'a * b', new_text: 'a + b' })],
    [toolCall('write_file', { path: '../outside.txt', content: 'x' })],
    [text('I could not do it.')],
  );
  const turn = await runCodingTurn(service, { bot_id: botId });
  expect(turn.approvals).toEqual([]);
  expect(turn.results.map(({ status }) => status)).toEqual(['error', 'error']);
  expect(await readdir(dirname(repository.folder))).toEqual(['shop', 'state']);
});

it('does not let an edited approval write another file', async () => {
  const botId = await botWith();
  playReplies(scripted, [toolCall('write_file', { path: 'a.txt', content: 'x' })]);
  const turn = await chatWith(() => service).say({ bot_id: botId });
  const [approvalId] = turn.last.data.approval_ids;
  const body = { action: 'approve_edited', edited_args: { path: 'b.txt', content: 'x' } };
  expect(await service.call(`POST /api/v1/hitl/${approvalId}/respond`, { body })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'edited_args.path' }] },
  });
});

it('carries out parallel changes, of the same file too', async () => {
  const botId = await botWith({ approval_writes: 'never' });
  const edit = (old_text: string, new_text: string) => ({
    name: 'edit_file',
    arguments: { path: 'sum.mjs', old_text, new_text },
  });
  playReplies(scripted, [
    toolCalls([
      edit('a - b', 'a + b'),
      edit('export function', 'export default function'),
      { name: 'write_file', arguments: { path: 'c.txt', content: 'c' } },
    ]),
  ]);
  const turn = await runCodingTurn(service, { bot_id: botId });
  expect(turn.results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  expect(await read('sum.mjs')).toBe('export default function sum(a, b) {\n  return a + b;\n}\n');
  expect(await read('c.txt')).toBe('c');
});

it('ends the whole process tree of a command when the turn is stopped', async () => {
  const botId = await botWith({ approval_commands: 'never' });
  const marker = `31536${String(process.pid).padStart(8, '0')}`;
  const script = `trap '' TERM; echo started; sleep ${marker} & sleep ${marker}1\n`;
  await writeFile(repository.path('wait.sh'), script);
  playReplies(scripted, [toolCall('run_command', { command: 'sh wait.sh' })]);
  const chat = chatWith(() => service);
  const reader = await chat.send({ bot_id: botId });
  await reader.until(({ event, data }) => event === 'tool.progress' && data.text.includes('started'));
  await eventually(() => runningCommands('sleep', marker)).toBeGreaterThan(1);
  const started = await reader.until('turn.started');
  const stop = { body: { conversation_id: started.data.conversation_id } };
  expect(await service.call('POST /api/v1/chat/stop', stop)).toMatchObject({ status: 200 });
  await reader.until('turn.interrupted');
  await eventually(() => runningCommands('sleep', marker)).toBe(0);
});

it('works in a turn on another node than the one that the machine is connected to', async () => {
  const other = await startNode({
    database: service.database,
    environment: scriptedEnvironment(scripted),
    keyRing: createKeyRing(service.encryptionKey),
  });
  const botId = await botWith({ allowed_commands: ['node check.mjs'] });
  playReplies(
    scripted,
    [toolCall('run_command', { command: 'node check.mjs' })],
    [toolCall('edit_file', { path: 'sum.mjs', old_text: 'a - b', new_text: 'a + b' })],
  );
  const place = { url: other.url, key: service.key, call: createCall(other.url, service.key) };
  const turn = await runCodingTurn(place, { bot_id: botId });
  await other.stop();
  expect(turn.results.map(({ status }) => status)).toEqual(['ok', 'ok']);
  expect(await read('sum.mjs')).toContain('a + b');
});

function diffOf(approval: Approval | undefined): string {
  return approval?.context.kind === 'diff' ? approval.context.diff : '';
}

/** The hunks of a diff, whose headers differ between programs. */
function hunksOf(diff: string): string {
  return diff
    .slice(diff.indexOf('@@'))
    .replaceAll(/^@@.*$/gm, '@@')
    .trim();
}
