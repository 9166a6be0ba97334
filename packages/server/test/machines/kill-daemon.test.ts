import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { type CodeRepository, makeRepository } from '../support/code-repository.ts';
import { makeCodingBot, pairMachine, turnOf } from '../support/coding-bot.ts';
import { until } from '../support/faults/until.ts';
import { startDaemon } from '../support/machine-daemon.ts';
import { runningCommands } from '../support/running-commands.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/**
 * The daemon, and the process that works on its files, are killed with SIGKILL in every phase of an operation. Afterwards the
 * files are all old or all new, nothing has run twice, and the turn continues with a true result.
 */
let service: TestApp;
let scripted: ScriptedModel;

const before = { 'a.txt': 'one\n', 'b.txt': 'two\n' };
const after = { 'a.txt': 'ONE\n', 'b.txt': 'TWO\n' };
const patch =
  '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+TWO\n';
const command = 'echo ran >> ran.txt; echo started';

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  scripted.respondWith(({ body }) => {
    const messages = body['messages'] as { role: string; content: string }[];
    if (messages.some(({ role }) => role === 'tool')) return [text('I see.')];
    const wanted = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    return [
      wanted === 'patch'
        ? toolCall('apply_patch', { patch })
        : toolCall('run_command', { command: 'sh run.sh' }),
    ];
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const preload = resolve(import.meta.dirname, '../support/faults/kill-daemon.mjs');

interface KillPoint {
  call: string;
  path: string;
  when: 'before' | 'after';
  count?: number;
}

/** Runs one operation with a daemon that is killed, and then starts the daemon again. */
async function runKilled(message: string, kill: KillPoint | 'while it runs') {
  const script = message === 'patch' ? {} : { 'run.sh': `${message}\n` };
  const repository = await makeRepository({ ...before, ...script });
  const machine = await pairMachine(service);
  const botId = await makeCodingBot(service, {
    machine_id: machine.id,
    workdir: repository.folder,
    approval_writes: 'never',
    approval_commands: 'never',
  });
  const { folder, stateFolder } = repository;
  const args = ['--policy', 'allow-listed', '--allow-edits', '--allow', 'sh run.sh'];
  const connection = { url: service.url, key: machine.token, roots: [folder], stateFolder, args };
  const environment = {
    NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
    KILL_AT: JSON.stringify({ count: 1, ...(kill !== 'while it runs' && kill) }),
  };
  const doomed = await startDaemon({ ...connection, ...(kill !== 'while it runs' && { environment }) });
  await doomed.connected();
  const turn = chatWith(() => service).say({ bot_id: botId, message });
  if (kill === 'while it runs') {
    await until('the command runs', async () => (await contentOf(repository)).ran !== undefined);
    doomed.child.kill('SIGKILL');
  }
  await until('the daemon dies', () => doomed.child.signalCode === 'SIGKILL', { detail: doomed.output });
  const daemon = await startDaemon(connection);
  const { conversationId, events } = await turn;
  await daemon.stop();
  const seen = await contentOf(repository);
  await repository.remove();
  const [result] = turnOf(conversationId, events).results;
  return { end: events.at(-1)?.event, result, ...seen };
}

async function contentOf({ path }: CodeRepository) {
  const read = (name: string) => readFile(path(name), 'utf8').catch(() => undefined);
  return {
    files: { 'a.txt': await read('a.txt'), 'b.txt': await read('b.txt') },
    ran: await read('ran.txt'),
  };
}

describe.concurrent('a change of two files', () => {
  const isDone = { files: after, result: { status: 'ok' } };
  const isUndone = {
    files: before,
    result: { status: 'error', result: { error: expect.stringContaining('not carried out') } },
  };
  it.for<[string, KillPoint, object]>([
    ['sent', { call: 'open', path: 'operations/started', when: 'before' }, isDone],
    ['recorded', { call: 'open', path: 'operations/started/', when: 'after' }, isUndone],
    ['with a manifest', { call: 'renameSync', path: 'manifest.json', when: 'after' }, isUndone],
    ['half written', { call: 'renameSync', path: 'a.txt', when: 'after' }, isUndone],
    ['written', { call: 'renameSync', path: 'b.txt', when: 'after' }, isDone],
    ['done', { call: 'renameSync', path: 'end.json', when: 'after' }, isDone],
    ['recorded as done, and not reported', { call: 'rename', path: 'finished/', when: 'after' }, isDone],
  ])('is whole when the daemon is killed once it is %s', async ([, point, expected]) => {
    expect(await runKilled('patch', point)).toMatchObject({ end: 'turn.completed', ...expected });
  });
});

describe.concurrent('a command', () => {
  const isUnknown = { status: 'unknown', result: { error: expect.stringContaining('not known') } };
  it.for<[string, KillPoint, object]>([
    ['sent', { call: 'open', path: 'operations/started', when: 'before' }, { status: 'ok' }],
    ['ended, and not recorded', { call: 'rename', path: 'finished/', when: 'before' }, isUnknown],
    [
      'recorded as ended, and not reported',
      { call: 'rename', path: 'finished/', when: 'after' },
      { status: 'ok' },
    ],
  ])('runs once when the daemon is killed once it is %s', async ([, point, expected]) => {
    expect(await runKilled(command, point)).toMatchObject({
      end: 'turn.completed',
      ran: 'ran\n',
      result: expected,
    });
  });

  it('ends with the daemon that is killed while it runs, and is not run again', async () => {
    const seconds = `315360${process.pid}`;
    const started = `trap '' TERM; echo ran >> ran.txt; setsid sleep ${seconds} & sleep ${seconds}`;
    expect(await runKilled(started, 'while it runs')).toMatchObject({
      end: 'turn.completed',
      ran: 'ran\n',
      result: isUnknown,
    });
    await until('its processes end', async () => (await runningCommands('sleep', seconds)) === 0);
  });
});
