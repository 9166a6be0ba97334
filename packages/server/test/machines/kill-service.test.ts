import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { text, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { askedBy, chatWith } from '../support/chat.ts';
import { type CodeRepository, makeRepository } from '../support/code-repository.ts';
import {
  answerApprovals,
  type CodingService,
  makeCodingBot,
  pairMachine,
  turnOf,
} from '../support/coding-bot.ts';
import { connectTo, type Lock, lockRow, lockTable } from '../support/faults/locks.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type MachineDaemon, startDaemon } from '../support/machine-daemon.ts';

/** One machine and one conversation for every phase of its calls, all reached when the service is killed with SIGKILL. */
const phases = [
  'asked', // a person has not decided yet
  'approved', // approved, and none is recorded as started yet
  'unsent', // the first is started, and not yet recorded as sent
  'sent', // the first is on its way to the machine, whose daemon is stopped
  'running', // on the machine, and still running when the next service starts
  'ended', // ended on the machine before the next service starts
] as const;
type Phase = (typeof phases)[number];

interface Place {
  repository: CodeRepository;
  connection: { url: string; key: string; roots: string[]; stateFolder: string };
  daemon: MachineDaemon;
  botId: string;
  conversationId: string;
}

const commands: Record<string, string> = {
  running: 'echo ran >> ran.txt; until [ -e go ]; do sleep 0.05; done; echo finished',
  ended: 'echo ran >> ran.txt; until [ -e go ]; do sleep 0.05; done; touch over; echo finished',
};
const fleet = createFleet();
const targets: string[] = [];
const places = new Map<Phase, Place>();
const place = (phase: Phase) => places.get(phase) as Place;
let scripted: ScriptedModel;
let balancer: Balancer;
let service: CodingService;

async function startService() {
  const started = await fleet.start({ OPENAI_BASE_URL: scripted.url('openai') });
  targets.splice(0, targets.length, started.url);
  service = { url: started.url, key, call: started.call(key) };
  return started;
}

beforeAll(async () => {
  scripted = await startScriptedModel();
  scripted.respondWith((request) => {
    const messages = askedBy(request);
    if (messages.some(({ role }) => role === 'tool')) return [text('I see.')];
    const phase = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const command = commands[phase] ?? 'echo ran >> ran.txt; echo finished';
    return [
      toolCalls([
        { name: 'edit_file', arguments: { path: 'a.txt', old_text: 'one\n', new_text: 'two\none\n' } },
        { name: 'run_command', arguments: { command } },
      ]),
    ];
  });
  balancer = await startBalancer(targets);
  const first = await startService();
  await Promise.all(phases.map(preparePlace));
  const locks = await reachPhases();
  await first.end('SIGKILL');
  for (const lock of locks) await lock.abort();
  const { repository } = place('ended');
  await writeFile(repository.path('go'), '');
  await until('the command ends', async () => (await read(repository, 'over')) !== undefined);
  await startService();
  place('sent').daemon.child.kill('SIGCONT');
  await writeFile(place('running').repository.path('go'), '');
});
afterAll(async () => {
  for (const { daemon, repository } of places.values()) {
    await daemon.kill();
    await repository.remove();
  }
  await fleet.end();
  await balancer.close();
  await scripted.close();
});

/** A bot on its own machine, whose turn waits for two approvals. */
async function preparePlace(phase: Phase): Promise<void> {
  const repository = await makeRepository({ 'a.txt': 'one\n' });
  const machine = await pairMachine(service, phase);
  const { folder, stateFolder } = repository;
  const connection = { url: balancer.url, key: machine.token, roots: [folder], stateFolder };
  const daemon = await startDaemon(connection);
  await daemon.connected();
  const botId = await makeCodingBot(service, { machine_id: machine.id, workdir: folder });
  const turn = await chatWith(() => service).say({ bot_id: botId, message: phase });
  expect(turn.last.event, daemon.output()).toBe('turn.paused');
  places.set(phase, { repository, connection, daemon, botId, conversationId: turn.conversationId });
}

/** No phase ends by itself before the service is killed, however slow this machine is. */
async function reachPhases(): Promise<Lock[]> {
  const approve = (phase: Phase) => answerApprovals(service, place(phase).conversationId);
  for (const phase of ['running', 'ended'] as const) await approve(phase);
  for (const phase of ['running', 'ended'] as const)
    await until(
      'the command runs',
      async () => (await read(place(phase).repository, 'ran.txt')) !== undefined,
    );

  const connection = await fleet.connection();
  // The service closes the connection of a daemon that is silent for 30 seconds: the calls are sent until then.
  place('sent').daemon.child.kill('SIGSTOP');
  await approve('sent');
  const database = await connectTo(connection);
  const sent = `select 1 from machine_calls where conversation_id = '${place('sent').conversationId}'`;
  // The calls of one reply that change something are sent one after another.
  await until('the first call is sent', async () => (await database.query(sent)).rowCount === 1, {
    detail: place('sent').daemon.output,
  });
  await database.end();

  const ofApproved = `conversation_id = '${place('approved').conversationId}'`;
  const start = await lockRow(
    connection,
    'tool_calls',
    `id = (select id from tool_calls where ${ofApproved} order by position limit 1)`,
  );
  await approve('approved');
  await start.blocks();

  const record = await lockTable(connection, 'machine_calls');
  await approve('unsent');
  await record.blocks();
  return [start, record];
}

it.each(phases)('calls that were %s when the service was killed are carried out once', async (phase) => {
  const { conversationId, repository, daemon } = place(phase);
  if (phase === 'asked') await answerApprovals(service, conversationId);
  const reader = await chatWith(() => service).listen(conversationId, { after: 0 });
  await reader.until(({ event }) => /^turn\.(completed|failed|interrupted)$/.test(event));
  reader.close();
  const { results } = turnOf(conversationId, reader.events);
  const detail = JSON.stringify({ results, daemon: daemon.output() });
  expect(reader.events.at(-1)?.event, detail).toBe('turn.completed');
  expect(results, detail).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
  expect(results.map(({ result }) => JSON.stringify(result)).join(), detail).toMatch(
    /"output":"finished\\n"/,
  );
  expect(await read(repository, 'a.txt')).toBe('two\none\n');
  expect(await read(repository, 'ran.txt')).toBe('ran\n');
});

function read(repository: CodeRepository, name: string): Promise<string | undefined> {
  return readFile(repository.path(name), 'utf8').catch(() => undefined);
}
