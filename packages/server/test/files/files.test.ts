import { randomBytes } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { sql } from '../../src/database/drizzle.ts';
import { openFiles } from '../../src/files/open-files.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createCallRecordings } from '../../src/voice-calls/recordings/call-recordings.service.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from '../knowledge/embeddings-server.ts';
import { eventually, type KnowledgeUser, knowledgeOf } from '../knowledge/user.ts';
import { type BucketServer, startBucketServer } from '../support/bucket-server.ts';
import { connectTo } from '../support/faults/locks.ts';
import { until } from '../support/faults/until.ts';
import { makeCall } from '../support/make-call.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { startNode } from '../support/test-node.ts';

let bucket: BucketServer;
let embeddings: EmbeddingsServer;
let service: TestApp;
let botId: string;
let workspaceId: string;
let knowledge: KnowledgeUser;
beforeAll(async () => {
  [bucket, embeddings] = await Promise.all([startBucketServer(), startEmbeddingsServer()]);
  service = await startTestApp({ environment: { ...embeddings.environment, ...bucket.environment } });
  knowledge = knowledgeOf(() => service);
  const bot = { name: 'Recorder', system_prompt: 'x' };
  botId = (await service.call('POST /api/v1/bots', { body: bot })).body.id;
  workspaceId = (await rowsOf<{ id: string }>(sql`select id from workspaces`))[0]?.id ?? '';
});
afterAll(async () => {
  await service.stop();
  await embeddings.close();
  await bucket.remove();
});
afterEach(async () => {
  await service.database.acrossWorkspaces.execute(sql`delete from knowledge`);
  await service.database.acrossWorkspaces.execute(sql`delete from conversations`);
  // An hour later, even what an attempt on a busy machine may have left.
  await rowsOf(sql`update file_deletions set due_at = now()`);
  await deleteDue();
  expect(await bucket.keys()).toEqual([]);
  expect(await rowsOf(sql`select from file_deletions`)).toEqual([]);
});

const rowsOf = async <Row extends Record<string, unknown>>(query: SQL) =>
  (await service.database.acrossWorkspaces.execute<Row>(query)).rows;

/** What a node with this configuration opens. */
const openHere = (environment: Record<string, string>, lines: string[] = []) =>
  openFiles({
    config: readConfig(environment),
    database: service.database,
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });

/** The background round of a further node. The service has its own, every 20 seconds. */
async function round(): Promise<void> {
  const { rounds = [], close } = await openHere(bucket.environment);
  expect(rounds).toHaveLength(1);
  try {
    await Promise.all(rounds.map(({ work }) => work()));
  } finally {
    await close?.();
  }
}

/** Rounds until nothing that was due is left, on whichever node. */
const deleteDue = () =>
  until('what is due is deleted', async () => {
    await rowsOf(sql`update file_deletions set due_at = now() where attempts > 0`);
    await round();
    return (await rowsOf(sql`select from file_deletions where attempts > 0 or due_at <= now()`)).length === 0;
  });

const storedInDatabase = async () =>
  (await rowsOf<{ bytes: Buffer }>(sql`select bytes from knowledge_files`)).map(({ bytes }) => String(bytes));

describe('an uploaded file', () => {
  it('is in the bucket, is read from there, and is deleted with its source', async () => {
    const { body } = await knowledge.upload([
      ['herons.md', '# Herons\n\nThe heron waits.'],
      ['program.exe', 'x'],
      ['owls.txt', 'The owl turns its head.'],
    ]);
    const [herons, owls] = body.created.map(({ id }: { id: string }) => id);
    const keys = await bucket.keys();
    expect(keys.map((key) => key.split('/')[0])).toEqual([workspaceId, workspaceId]);
    expect((await Promise.all(keys.map(bucket.content))).map(String).toSorted()).toEqual([
      '# Herons\n\nThe heron waits.',
      'The owl turns its head.',
    ]);
    expect(await storedInDatabase()).toEqual([]);
    expect(await rowsOf(sql`select from file_deletions`)).toEqual([]);
    expect(await knowledge.completed(herons)).toMatchObject({ content: '# Herons\n\nThe heron waits.' });

    await service.call(`POST /api/v1/knowledge/${owls}/refresh`);
    expect(await knowledge.completed(owls)).toMatchObject({ content: 'The owl turns its head.' });

    await service.call(`DELETE /api/v1/knowledge/${herons}?type=hard`);
    await deleteDue();
    const left = await bucket.keys();
    expect((await Promise.all(left.map(bucket.content))).map(String)).toEqual(['The owl turns its head.']);
  });

  it('is deleted with its workspace, and only that', async () => {
    const other = await service.makeWorkspace();
    await knowledgeOf(() => service, other.key).addFile('theirs.txt', 'Theirs.');
    await knowledge.addFile('ours.txt', 'Ours.');
    await until('both are read', async () => {
      const unread = await rowsOf(sql`select from knowledge where processing_status <> 'completed'`);
      return unread.length === 0;
    });
    await rowsOf(sql`delete from workspaces where id = ${other.id}`);
    await deleteDue();
    expect((await bucket.keys()).map((key) => key.split('/')[0])).toEqual([workspaceId]);
    // One workspace cannot have the objects of another deleted.
    const [ours] = await bucket.keys();
    const queue = service.database
      .within(other.id)
      .execute(
        sql`insert into file_deletions (key, workspace_id, due_at) values (${ours}, ${other.id}, now())`,
      );
    await expect(queue).rejects.toThrow();
  });

  it('is refused while the bucket is down, without a trace; what waits for the bucket continues when it is back', async () => {
    const id = await knowledge.addFile('before.txt', 'Before.');
    await knowledge.completed(id);
    const removed = await knowledge.addFile('removed.txt', 'Removed.');
    await knowledge.completed(removed);
    bucket.goDown();
    try {
      const refused = {
        status: 503,
        body: { code: 'NOT_READY', message: expect.stringContaining('storage') },
      };
      expect(await knowledge.upload([['during.txt', 'During.']])).toMatchObject(refused);
      expect(await rowsOf(sql`select from knowledge where source_filename = 'during.txt'`)).toEqual([]);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);

      await service.call(`DELETE /api/v1/knowledge/${removed}?type=hard`);
      await round().catch((error: Error) => expect(error.name).toBe('BucketError'));
      await until('a node tries to delete it', async () => {
        const tried = await rowsOf(sql`select from file_deletions where attempts > 0 and due_at > now()`);
        return tried.length === 1;
      });
      await service.call(`POST /api/v1/knowledge/${id}/refresh`);
      await eventually(() => knowledge.read(id)).toMatchObject({
        processing_status: 'pending',
        error: expect.stringContaining('storage'),
      });
    } finally {
      bucket.comeBack();
    }
    expect(await knowledge.completed(id)).toMatchObject({ content: 'Before.', error: null });
    await deleteDue();
    expect(await bucket.keys()).toHaveLength(1);
    // What was refused may have been written.
    expect(await rowsOf(sql`select attempts from file_deletions where due_at > now()`)).toEqual([
      { attempts: 0 },
    ]);
    await rowsOf(sql`update file_deletions set due_at = now()`);
  });
});

describe('a file of a user', () => {
  const upload = () => {
    const body = new FormData();
    body.append('files', new Blob(['%PDF-1.7 in a bucket']), 'invoice.pdf');
    return service.call('POST /api/v1/attachments', { body });
  };
  const read = (id: string) => service.call(`GET /api/v1/attachments/${id}`);

  it('is in the bucket, is read from there, and is deleted with its conversation', async () => {
    const { id } = (await upload()).body;
    const [key = ''] = await bucket.keys();
    expect(String(await bucket.content(key))).toBe('%PDF-1.7 in a bucket');
    expect(await rowsOf(sql`select bytes from attachments`)).toEqual([{ bytes: null }]);
    expect((await read(id)).body).toBe('%PDF-1.7 in a bucket');
    const body = { bot_id: botId, external_user_id: 'mia', message: 'Here', attachments: [id] };
    expect((await service.call('POST /api/v1/chat/send-stream', { body })).status).toBe(200);
    const [{ id: conversation }] = (await service.call('GET /api/v1/conversations')).body;
    expect((await service.call(`DELETE /api/v1/conversations/${conversation}`)).status).toBe(200);
    await deleteDue();
    expect(await bucket.keys()).toEqual([]);
    expect((await read(id)).status).toBe(404);
  });

  it('is refused while the bucket is down, and is there again with it', async () => {
    const { id } = (await upload()).body;
    bucket.goDown();
    try {
      expect((await upload()).status).toBe(503);
      expect((await read(id)).status).toBe(503);
    } finally {
      bucket.comeBack();
    }
    expect((await read(id)).status).toBe(200);
    await service.database.acrossWorkspaces.execute(sql`delete from attachments`);
  });
});

describe('a recording', () => {
  const recording = randomBytes(60_000);
  const path = (callId: string) => `/api/v1/calls/${callId}/recording`;
  const download = async (
    callId: string,
    { range, key = service.key, method = 'GET', url = service.url }: Record<string, string> = {},
  ) => {
    const headers = { authorization: `Bearer ${key}`, ...(range !== undefined && { range }) };
    const response = await fetch(url + path(callId), { method, headers });
    return {
      status: response.status,
      range: response.headers.get('content-range'),
      length: response.headers.get('content-length'),
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  const ranges = ['bytes=0-', 'bytes=0-43', 'bytes=40-143', 'bytes=50000-', 'bytes=-100', 'bytes=7-7'];
  const downloads = (callId: string) => Promise.all(ranges.map((range) => download(callId, { range })));
  const partsOf = (callId: string) =>
    rowsOf(sql`select from call_recording_parts where call_id = ${callId}`).then(({ length }) => length);
  /** A call that is recorded and not over. */
  const makeRecorded = () => makeCall(service, { botId, status: 'ringing', endReason: null, recording });
  const end = async (callId: string) =>
    expect(await service.call(`POST /api/v1/calls/${callId}/end`)).toMatchObject({ status: 200 });

  it('is moved when its call is over, and sounds the same', async () => {
    const callId = await makeRecorded();
    const before = await downloads(callId);
    expect([await partsOf(callId), await bucket.keys()]).toEqual([1, []]);
    await end(callId);
    await until('it is moved', async () => (await partsOf(callId)) === 0);
    const stored = sql`select file_key as key from call_recordings where call_id = ${callId}`;
    const key = (await rowsOf<{ key: string }>(stored))[0]?.key ?? '';
    const whole = await download(callId);
    expect(whole).toMatchObject({ status: 200, length: '60044' });
    expect(whole.bytes.subarray(44).equals(recording)).toBe(true);
    expect((await bucket.content(key)).equals(whole.bytes)).toBe(true);
    expect(await downloads(callId)).toEqual(before);
    expect(await download(callId, { method: 'HEAD' })).toMatchObject({ status: 200, length: '60044' });
    const { key: theirs } = await service.makeWorkspace();
    expect((await download(callId, { key: theirs })).status).toBe(404);

    bucket.goDown();
    const refused = await download(callId);
    expect([refused.status, String(refused.bytes)]).toEqual([503, expect.stringContaining('storage')]);
    bucket.comeBack();

    await service.call(`DELETE /api/v1/conversations/${callId}`);
    await deleteDue();
    expect(await bucket.keys()).not.toContain(key);
    expect((await download(callId)).status).toBe(404);
  });

  it('that is erased while it is moved is in neither place', async () => {
    const callId = await makeRecorded();
    const eraser = await connectTo(service.connection);
    await eraser.query('begin');
    await eraser.query('select from call_recordings where call_id = $1 for update', [callId]);
    const { rows } = await eraser.query<{ pid: number }>('select pg_backend_pid() as pid');
    await end(callId);
    await until('it is copied, and waits to be named', async () => {
      const waiting = sql`select from pg_stat_activity where ${rows[0]?.pid}::int = any(pg_blocking_pids(pid))`;
      return (await rowsOf(waiting)).length > 0;
    });
    const copied = (await bucket.keys()).toSorted().at(-1);
    expect(copied).toBeDefined();
    await eraser.query('delete from conversations where id = $1', [callId]);
    await eraser.query('commit');
    await eraser.end();
    await until('the job is over', async () => {
      const jobs = await rowsOf(
        sql`select from pgboss.job where name = 'recordings-to-bucket' and state < 'completed'`,
      );
      return jobs.length === 0;
    });
    await deleteDue();
    expect(await bucket.keys()).not.toContain(copied);
  });

  it('that is moved while it is downloaded continues from the bucket', async () => {
    const callId = await makeRecorded();
    const { services, close } = await openHere(bucket.environment);
    const recordings = createCallRecordings({ database: service.database, files: services.files });
    const { length, read } = await recordings.open(workspaceId, callId);
    expect(length).toBe(60_044);
    const chunks = await read({ start: 0, end: length });
    const first = await chunks.next();
    await end(callId);
    await until('it is moved', async () => (await partsOf(callId)) === 0);
    const pieces = [first.value as Buffer];
    for await (const piece of chunks) pieces.push(piece);
    expect(Buffer.concat(pieces).subarray(44).equals(recording)).toBe(true);
    const late = { position: 1, audio: Buffer.alloc(10), bytes: 80_010, marks: [] };
    expect(await recordings.append({ id: callId, workspaceId }, late)).toBe(false);
    await close?.();
  });

  it('cannot be downloaded once the setting is removed, and says so; what is in PostgreSQL works with and without it', async () => {
    const callId = await makeRecorded();
    await end(callId);
    await until('it is moved', async () => (await partsOf(callId)) === 0);
    const { database, encryptionKey } = service;
    const keyRing = createKeyRing(encryptionKey);
    const node = await startNode({ database, keyRing, environment: embeddings.environment });
    try {
      const refused = await download(callId, { url: node.url });
      expect([refused.status, String(refused.bytes)]).toEqual([503, expect.stringContaining('SVC_FILES')]);

      const without = knowledgeOf(() => node, service.key);
      const earlier = await without.addFile('earlier.txt', 'Earlier.');
      await without.completed(earlier);
      expect(await storedInDatabase()).toEqual(['Earlier.']);
      await service.call(`POST /api/v1/knowledge/${earlier}/refresh`);
      expect(await knowledge.completed(earlier)).toMatchObject({ content: 'Earlier.' });
    } finally {
      await node.stop();
    }
  });
});

describe('a bucket', () => {
  it.each([
    ['that does not exist', { SVC_FILES: 's3://nowhere' }, 'NoSuchBucket'],
    ['with an unknown key', { AWS_ACCESS_KEY_ID: 'unknown' }, 'InvalidAccessKeyId'],
    ['with another secret', { AWS_SECRET_ACCESS_KEY: 'wrong' }, 'SignatureDoesNotMatch'],
  ])('%s ends the start', async (_what, changed, reason) => {
    await expect(openHere({ ...bucket.environment, ...changed })).rejects.toThrow(
      new RegExp(`^SVC_FILES names the bucket \\w+, which cannot be used: ${reason}`),
    );
  });

  it('that cannot be reached does not', async () => {
    const lines: string[] = [];
    bucket.goDown();
    const { services, close } = await openHere(bucket.environment, lines);
    bucket.comeBack();
    expect(lines.join()).toContain('The bucket in SVC_FILES cannot be reached');
    expect(services.files.hasBucket).toBe(true);
    await close?.();
  });
});
