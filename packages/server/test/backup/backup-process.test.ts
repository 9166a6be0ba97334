import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { makeAgent, startRun } from '../support/agents.ts';
import { type Chat, chatWith, scriptedEnvironment } from '../support/chat.ts';
import { connectTo } from '../support/faults/locks.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { refund, refundDesk, type Shop, secretToken, startShop } from '../support/refund-shop.ts';
import { bundledCommand, inherited, runCommand, type ServiceProcess } from '../support/service-process.ts';
import type { SseEvent } from '../support/sse-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/**
 * A service on its embedded database does what a service does, while its backup is written, broken off and written again. Then it is
 * restored into another data directory and into a PostgreSQL of the operator's.
 */
const backupKey = randomBytes(32).toString('base64');
const planted = `planted-${randomBytes(8).toString('hex')}`;
const [source, restored] = [createFleet(), createFleet()];
let scripted: ScriptedModel;
let shop: Shop;
let service: ServiceProcess;
let folder: string;
let environment: Record<string, string>;
/** The events of turns that were acknowledged before the backup started, by conversation. */
const before = new Map<string, SseEvent[]>();
/** Turns that were acknowledged while it was written. */
let acknowledgedLater: number;
let paused: Awaited<ReturnType<ReturnType<typeof refundDesk>['pause']>>;
let runId: string;
let backup: { chunks: number; new_chunks: number; new_bytes: number };
let brokenOff: { files: string[]; manifests: string[] };

const reach = (at: ServiceProcess) => ({ url: at.url, key, call: at.call(key) });
const desk = refundDesk(
  () => reach(service),
  () => shop,
  () => scripted,
);
const chat = chatWith(() => reach(service));
const environmentOf = async (fleet: typeof source) => ({
  ...scriptedEnvironment(scripted),
  SVC_DATA_DIR: await fleet.dataDirectory(),
  SVC_EGRESS_ALLOW: '127.0.0.1',
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  scripted = await startScriptedModel();
  shop = await startShop();
  environment = await environmentOf(source);
  service = await source.start(environment);
  await fill();
  const load = startLoad();
  await until('turns are acknowledged', () => load.acknowledged.length > 16);
  const turns = load.acknowledged.length;
  for (const conversationId of load.acknowledged.slice(0, turns))
    before.set(conversationId, await chat.log(conversationId));
  brokenOff = await breakOffBackup();
  const result = await runCommand(['backup', folder, '--json'], {
    ...environment,
    SVC_BACKUP_KEY: backupKey,
  });
  expect(result, result.stderr).toMatchObject({ code: 0 });
  backup = JSON.parse(result.stdout);
  await load.stop();
  acknowledgedLater = load.acknowledged.length - turns;
});
afterAll(async () => {
  await source.end();
  await restored.end();
  await scripted?.close();
  shop?.close();
  await rm(folder, { recursive: true });
});

/** A turn that waits for an approval, an agent's run, a machine, and texts that a backup needs a moment for. */
async function fill(): Promise<void> {
  paused = await desk.pause(await desk.makeBot());
  scripted.respondWith([text(`Of course. ${planted}`)]);
  const { call } = reach(service);
  runId = await startRun({ call }, await makeAgent({ call }, { name: planted }));
  expect(await call('POST /api/v1/machines', { body: { name: 'desk' } })).toMatchObject({ status: 201 });
  const client = await connectTo(await source.connection());
  for (let index = 0; index < 12; index += 1)
    await client.query(
      `insert into knowledge (id, workspace_id, title, content_type, content, processing_status)
       select $1, id, 'A text', 'text', $2, 'completed' from workspaces`,
      [newId(), randomBytes(500_000).toString('hex')],
    );
  await client.end();
}

/** People who chat, and texts that are uploaded, until it is stopped. */
function startLoad() {
  /** The conversation of each turn. */
  const acknowledged: string[] = [];
  let isStopping = false;
  const people = Array.from({ length: 4 }, async (_, person) => {
    const botId = await chat.bot();
    let conversationId: string | undefined;
    for (let round = 0; !isStopping; round += 1) {
      const to = round % 3 === 0 ? { new_conversation: true } : { conversation_id: conversationId ?? '' };
      const from = { bot_id: botId, external_user_id: `person ${person}` };
      const turn = await chat.say({ ...from, ...to, message: planted });
      conversationId = turn.conversationId;
      acknowledged.push(conversationId);
      const body = { bot_id: botId, content_type: 'text', title: planted, content: `${planted} ${round}` };
      expect(await service.call(key)('POST /api/v1/knowledge', { body })).toMatchObject({ status: 201 });
    }
  });
  return {
    acknowledged,
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all(people);
    },
  };
}

/** Kills a backup at a table that it cannot read. */
async function breakOffBackup(): Promise<typeof brokenOff> {
  const connection = await source.connection();
  const [locker, client] = [await connectTo(connection), await connectTo(connection)];
  await locker.query('begin; lock table widget_customizations in access exclusive mode');
  const child = spawn(process.execPath, [bundledCommand, 'backup', folder], {
    env: { ...inherited, ...environment, SVC_BACKUP_KEY: backupKey },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  const waits = `select from pg_locks join pg_stat_activity using (pid)
    where not granted and application_name = 'svc backup'`;
  await until('the backup waits', async () => (await client.query(waits)).rowCount === 1);
  child.kill('SIGKILL');
  await ended;
  await locker.end();
  await client.end();
  // As if half a minute had passed: until then, the lock could be that of a container with the same name.
  const then = new Date(Date.now() - 60_000);
  await utimes(join(folder, 'lock'), then, then);
  return {
    files: await readdir(join(folder, 'chunks'), { recursive: true }),
    manifests: await readdir(join(folder, 'backups')),
  };
}

it('continues after it was killed, and writes only what is missing', () => {
  expect(brokenOff.manifests).toEqual([]);
  expect(brokenOff.files.length).toBeGreaterThan(10);
  // The texts were there: what is new are the rows that have changed since, and the tables that were not reached.
  expect(backup.chunks - backup.new_chunks).toBeGreaterThan(5);
  expect(backup.new_bytes).toBeLessThan(3_000_000);
});

it('leaves nothing readable in the folder', async () => {
  for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const content = await readFile(join(name.parentPath, name.name), 'latin1');
    for (const secret of [planted, secretToken, backupKey, key]) expect(content).not.toContain(secret);
  }
});

describe('restored into an empty data directory', () => {
  let there: Chat;
  beforeAll(async () => {
    const to = await restored.dataDirectory();
    await rm(join(to, 'postgres'), { recursive: true });
    await copyFile(join(await source.dataDirectory(), 'encryption-key'), join(to, 'encryption-key'));
    const own = await environmentOf(restored);
    const result = await runCommand(['restore', folder], { ...own, SVC_BACKUP_KEY: backupKey });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    service = await restored.start(own);
    there = chatWith(() => reach(service));
  });

  it('has every conversation as it was acknowledged', async () => {
    expect(before.size).toBeGreaterThan(4);
    expect(acknowledgedLater).toBeGreaterThan(0);
    for (const [conversationId, events] of before) {
      const log = await there.log(conversationId);
      expect(log.slice(0, events.length)).toEqual(events);
      expect(log.map(({ id }) => id)).toEqual(log.map((_, index) => index + 1));
    }
    const runs = await service.call(key)(`GET /api/v1/conversations/${runId}`);
    expect(runs).toMatchObject({ status: 200 });
    const machines = await service.call(key)('GET /api/v1/machines');
    expect(machines.body).toMatchObject([{ name: 'desk' }]);
  });

  it('continues a turn that waits for an approval, with the secret of its tool', async () => {
    const { respond, ending } = refundDesk(
      () => reach(service),
      () => shop,
      () => scripted,
    );
    const [approvalId = ''] = paused.approvalIds;
    expect(await respond(approvalId, { action: 'approve' })).toMatchObject({ status: 200 });
    expect((await ending(paused)).at(-1)?.event).toBe('turn.completed');
    expect(shop.refunds).toEqual([{ path: '/refunds', authorization: `Bearer ${secretToken}`, refund }]);
  });

  it('continues the numbers of events', async () => {
    const [conversationId = ''] = [...before.keys()];
    const known = await there.log(conversationId);
    const external = await service.call(key)(`GET /api/v1/conversations/${conversationId}`);
    const { external_user_id } = external.body;
    const turn = await there.say({ conversation_id: conversationId, external_user_id, message: 'There?' });
    expect(turn.events[0]?.id).toBe(known.length + 1);
  });
});

it('is restored into a PostgreSQL of the operator, with nothing half written', async () => {
  const target: TestDatabase = await createTestDatabase({ migrated: false });
  const encryptionKey = await readFile(join(await source.dataDirectory(), 'encryption-key'), 'utf8');
  const own = { DATABASE_URL: target.environment.DATABASE_URL, SVC_ENCRYPTION_KEY: encryptionKey };
  const result = await runCommand(['restore', folder], { ...own, SVC_BACKUP_KEY: backupKey });
  expect(result, result.stderr).toMatchObject({ code: 0 });
  const { rows } = await target.database.acrossWorkspaces.raw(`
    select c.id from conversations c
      where last_sequence <> (select count(*) from events e where e.conversation_id = c.id)
        or last_sequence <> (select coalesce(max(sequence), 0) from events e where e.conversation_id = c.id)
    union all
    select t.id from turns t where status = 'completed'
      and not exists (select from events e where e.turn_id = t.id and type = 'turn.completed')
    union all
    select m.id from messages m where not exists (
      select from events e where e.conversation_id = m.conversation_id and e.sequence = m.sequence)`);
  expect(rows).toEqual([]);
  const listed = await runCommand(['workspaces', 'list', '--json'], own);
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
  await target.drop();
});

it('is not written where there is no installation, and creates none', async () => {
  const data = await mkdtemp(join(tmpdir(), 'svc-data-'));
  for (const place of [data, join(data, 'below')]) {
    const refused = await runCommand(['backup', data], { SVC_BACKUP_KEY: backupKey, SVC_DATA_DIR: place });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`There is nothing to back up: ${join(place, 'postgres')}`);
  }
  expect(await readdir(data)).toEqual([]);
  await rm(data, { recursive: true });
});
