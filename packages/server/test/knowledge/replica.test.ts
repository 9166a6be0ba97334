import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/chat.ts';
import { type PrimaryAndReplica, startPrimaryAndReplica } from '../support/primary-and-replica.ts';
import { openTestEngine, type TestEngine } from './engine.ts';
import { type KnowledgeRows, knowledgeIn } from './support.ts';

const nodeId = '01970000-0000-7000-8000-000000000001';
let servers: PrimaryAndReplica;
let engine: TestEngine;
let rows: KnowledgeRows;

beforeAll(async () => {
  servers = await startPrimaryAndReplica();
  rows = knowledgeIn(servers.database);
  await beat();
  engine = await openTestEngine(servers.database, environment(servers.replicaUrl), { nodeId });
});
beforeEach(async () => {
  await beat();
  await eventually(isReplicaUsed).toBe(true);
});
afterAll(async () => {
  await engine.stop();
  await servers.stop();
});

const environment = (replicaUrl: string) => ({
  DATABASE_URL: servers.primaryUrl,
  DATABASE_REPLICA_URL: replicaUrl,
  SVC_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
});
/** As a node does every few seconds, by the clock of the database. */
const beat = (at = 'now()') =>
  rows.rows(
    `insert into nodes (id, seen_at) values ('${nodeId}', ${at}) on conflict (id) do update set seen_at = excluded.seen_at`,
  );
const messages = () => engine.logged.map((line) => JSON.parse(line) as { msg: string; reason?: string });
const isReplicaUsed = () =>
  messages().findLast(({ msg }) => msg.includes('replica'))?.msg === 'Knowledge is searched on the replica.';
const quotes = async (workspaceId: string, query: string) =>
  (await engine.ask(workspaceId, query)).map(({ quote }) => quote);

/** Until the end of the test. No heartbeat arrives meanwhile, but none is written either. */
async function pauseReplay(): Promise<void> {
  await servers.onReplica('select pg_wal_replay_pause()');
  onTestFinished(async () => void (await servers.onReplica('select pg_wal_replay_resume()')));
}

/** Everything that was written so far is on the replica. */
async function caughtUp(): Promise<void> {
  const [written] = await rows.rows<{ at: string }>('select pg_current_wal_lsn() as at');
  const reached = () => servers.onReplica(`select pg_last_wal_replay_lsn() >= '${written?.at}' as reached`);
  await eventually(reached).toEqual([{ reached: true }]);
}

it('is searched, and what has changed since is neither used nor shown', async () => {
  const workspaceId = await rows.makeWorkspace();
  const old = await rows.makeSource(workspaceId, ['Tortoises live on the island.']);
  await rows.makeSource(workspaceId, ['Tortoises eat grass.']);
  await caughtUp();
  expect((await quotes(workspaceId, 'tortoises')).toSorted()).toEqual([
    'Tortoises eat grass.',
    'Tortoises live on the island.',
  ]);
  await pauseReplay();
  await rows.makeSource(workspaceId, ['Tortoises are old.']);
  await rows.rows('delete from knowledge where id = $1', [old]);
  // The new one is not there yet; the deleted one still is, and is not read from there.
  expect(await quotes(workspaceId, 'tortoises')).toEqual(['Tortoises eat grass.']);
  await servers.onReplica('select pg_wal_replay_resume()');
  await caughtUp();
  expect((await quotes(workspaceId, 'tortoises')).toSorted()).toEqual([
    'Tortoises are old.',
    'Tortoises eat grass.',
  ]);
});

it('is not used while it is too far behind', async () => {
  const workspaceId = await rows.makeWorkspace();
  await rows.makeSource(workspaceId, ['Herons stand in the water.']);
  await caughtUp();
  await pauseReplay();
  await beat(`now() + interval '1 minute'`);
  await eventually(isReplicaUsed).toBe(false);
  expect(messages().findLast(({ reason }) => reason)?.reason).toMatch(/^it is \d+ seconds behind$/);
  await rows.makeSource(workspaceId, ['Herons can fly.']);
  expect(await quotes(workspaceId, 'herons fly')).toContain('Herons can fly.');
});

it('is not used if it belongs to another installation', async () => {
  const other = await openTestEngine(servers.database, environment(servers.replicaUrl));
  onTestFinished(() => other.stop());
  const reasons = () =>
    other.logged.map((line) => JSON.parse(line) as { reason?: string }).map(({ reason }) => reason);
  await eventually(reasons).toContainEqual(expect.stringContaining('has no heartbeat of this node'));
});

it('may stop and come back', async () => {
  const workspaceId = await rows.makeWorkspace();
  await rows.makeSource(workspaceId, ['Otters swim.']);
  await caughtUp();
  await servers.stopReplica();
  await eventually(isReplicaUsed).toBe(false);
  expect(await quotes(workspaceId, 'otters')).toEqual(['Otters swim.']);
  // It has been looked for again meanwhile; an outage is logged once.
  await sleep(2_500);
  expect(messages().filter(({ reason }) => reason === 'it cannot be read')).toHaveLength(1);
  await servers.startReplica();
  await beat();
  await eventually(isReplicaUsed).toBe(true);
  expect(await quotes(workspaceId, 'otters')).toEqual(['Otters swim.']);
});

it('is not used for a while after a search that took too long, which is repeated', async () => {
  const own = await openTestEngine(servers.database, environment(servers.replicaUrl), { nodeId });
  onTestFinished(() => own.stop());
  await eventually(() => own.logged.join()).toContain('searched on the replica');
  const workspaceId = await rows.makeWorkspace();
  await rows.makeSource(workspaceId, ['Badgers dig.']);
  const client = await servers.database.connect('test');
  onTestFinished(() => client.end());
  await client.query('begin');
  // The replica locks the table, too, once it has received that.
  await client.query('lock table knowledge_chunk_terms in access exclusive mode');
  await client.query('select pg_switch_wal()');
  await caughtUp();
  const searching = own.ask(workspaceId, 'badgers');
  await eventually(() => own.logged.join()).toContain('a search failed there');
  await client.query('rollback');
  expect((await searching).map(({ quote }) => quote)).toEqual(['Badgers dig.']);
});
