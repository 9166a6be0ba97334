import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createIdempotencyService } from '../../src/idempotency/idempotency.service.ts';
import { createLog } from '../../src/lib/log.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const bot = { name: 'Once', system_prompt: 'x' };
const create = (key: string, body: object = bot, account?: string) =>
  service.call('POST /api/v1/bots', {
    body,
    headers: { 'idempotency-key': key },
    ...(account && { key: account }),
  });
const countBots = async () => (await service.call('GET /api/v1/bots')).body.length;

it('repeats the first response and does nothing twice', async () => {
  const key = randomUUID();
  const first = await create(key);
  const before = await countBots();
  const again = await create(key, { system_prompt: 'x', name: 'Once' });
  expect(again).toMatchObject({ status: 201, body: first.body });
  expect(await countBots()).toBe(before);
});

it('refuses the same key with another body or another operation', async () => {
  const key = randomUUID();
  const first = await create(key);
  const mismatch = { status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } };
  expect(await create(key, { ...bot, name: 'Other' })).toMatchObject(mismatch);
  const hook = await service.call(`POST /api/v1/bots/${first.body.id}/post-call-hooks`, {
    body: { tool_configuration_id: randomUUID() },
    headers: { 'idempotency-key': key },
  });
  expect(hook).toMatchObject(mismatch);
});

it('is free again when the first attempt failed', async () => {
  const key = randomUUID();
  expect((await create(key, { ...bot, model: 'nobody/x' })).status).toBe(400);
  expect((await create(key)).status).toBe(201);
});

it('lets exactly one of many simultaneous requests act', async () => {
  const key = randomUUID();
  const before = await countBots();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(key)));
  expect(await countBots()).toBe(before + 1);
  const ids = new Set(answers.filter((answer) => answer.status === 201).map((answer) => answer.body.id));
  expect(ids.size).toBe(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
  }
});

it('belongs to one workspace', async () => {
  const key = randomUUID();
  const mine = await create(key);
  const theirs = await create(key, bot, (await service.makeWorkspace()).key);
  expect(theirs.status).toBe(201);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

it('belongs to one caller: no other caller gets an answer, which can contain a secret', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const request = { headers, body: { name: 'Secret', abilities: ['bots:read'] } };
  const first = await service.call('POST /api/v1/keys', request);
  expect(first).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^svc_sk_/) } });
  const owner = await makeMember(service, { role: 'owner' });
  const others = [
    await service.call('POST /api/v1/keys', { ...request, key: await service.makeKey() }),
    await owner.call('POST /api/v1/keys', request),
  ];
  for (const answer of others) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } });
    expect(JSON.stringify(answer.body)).not.toContain(first.body.key);
  }
  expect(await service.call('POST /api/v1/keys', request)).toMatchObject({ status: 201, body: first.body });
});

it('recorded by a version that did not know its caller still answers a repeat', async () => {
  const { idempotency, request } = await ownIdempotency();
  const first = await idempotency.once(request, async () => ({ run: 1 }));
  const repeat = idempotency.once({ ...request, caller: randomUUID() }, async () => ({ run: 2 }));
  expect(await repeat).toEqual(first);
});

it('is refused when it is empty or longer than 255 characters', async () => {
  expect((await create('x'.repeat(255))).status).toBe(201);
  expect(await create('x'.repeat(256))).toMatchObject({
    status: 400,
    body: { details: [{ path: 'idempotency-key' }] },
  });
});

it('stores responses encrypted', async () => {
  const key = randomUUID();
  const { body } = await create(key);
  const { rows } = await service.database.acrossWorkspaces.execute<{ answer: Buffer }>(
    sql`select answer from idempotency_records where key = ${key}`,
  );
  expect(rows[0]?.answer.toString('latin1')).not.toContain(body.id);
});

it('is free again when its node is dead, but not while its node is alive', async () => {
  const key = randomUUID();
  const first = await create(key);
  const nodeId = randomUUID();
  await service.database.acrossWorkspaces.execute(
    sql`update idempotency_records set answer = null, node_id = ${nodeId} where key = ${key}`,
  );
  await service.database.acrossWorkspaces.execute(sql`insert into nodes (id) values (${nodeId})`);
  expect(await create(key)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });

  await service.database.acrossWorkspaces.execute(
    sql`update nodes set seen_at = now() - interval '1 minute' where id = ${nodeId}`,
  );
  const again = await create(key);
  expect(again.status).toBe(201);
  expect(again.body.id).not.toBe(first.body.id);
});

/** The idempotency service of a separate node, which the test can settle. */
async function ownIdempotency() {
  const { database, encryptionKey } = service;
  const nodeId = randomUUID();
  await database.acrossWorkspaces.execute(sql`insert into nodes (id) values (${nodeId})`);
  const box = createSecretBox(createKeyRing(encryptionKey));
  const log = createLog({ level: 'silent', readable: false });
  const { id: workspaceId } = await service.makeWorkspace();
  const idempotency = createIdempotencyService({ database, box, nodeId, log });
  return { idempotency, request: { workspaceId, key: randomUUID(), fingerprint: 'x' } };
}

const hideRecords = () =>
  service.database.acrossWorkspaces.execute(sql`alter table idempotency_records rename to elsewhere`);
const showRecords = () =>
  service.database.acrossWorkspaces.execute(sql`alter table elsewhere rename to idempotency_records`);

it('is kept for finished work, even if storing its response failed at first', async () => {
  const { idempotency, request } = await ownIdempotency();
  let runs = 0;
  const act = () =>
    idempotency.once(request, async () => {
      runs += 1;
      await hideRecords();
      return { run: runs };
    });
  try {
    expect(await act()).toEqual({ run: 1 });
  } finally {
    await showRecords();
  }
  await expect(act()).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
  await idempotency.settle();
  expect(await act()).toEqual({ run: 1 });
  expect(runs).toBe(1);
});

it('is free again for work that failed after its answer was recorded, but not before that is known', async () => {
  const { idempotency, request } = await ownIdempotency();
  const { database } = service;
  let runs = 0;
  const act = (proceed: () => Promise<void>) =>
    idempotency.once<{ run: number }>(
      request,
      async (record) => {
        const answer = { run: (runs += 1) };
        await database.acrossWorkspaces.transaction((tx) => record(tx, answer));
        await proceed();
        return answer;
      },
      { continuesAfterAnswer: true },
    );
  const refused = () =>
    expect(act(async () => undefined)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
  const failing = act(async () => {
    await refused();
    await hideRecords();
    throw new Error('It came to nothing.');
  });
  try {
    await expect(failing).rejects.toThrow('It came to nothing.');
  } finally {
    await showRecords();
  }
  await refused();
  await idempotency.settle();
  expect(await act(refused)).toEqual({ run: 2 });
  expect(await act(refused)).toEqual({ run: 2 });
});

it('is not taken from a second attempt by the late cleanup of the first', async () => {
  const { idempotency, request } = await ownIdempotency();
  const failing = idempotency.once(request, async () => {
    await hideRecords();
    throw new Error('It came to nothing.');
  });
  try {
    await expect(failing).rejects.toThrow('It came to nothing.');
  } finally {
    await showRecords();
  }
  // As if the key had been freed and only the confirmation lost.
  await service.database.acrossWorkspaces.execute(
    sql`delete from idempotency_records where key = ${request.key}`,
  );
  const again = await idempotency.once(request, async () => {
    await idempotency.settle();
    const third = idempotency.once(request, async () => ({ run: 3 }));
    await expect(third).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    return { run: 2 };
  });
  expect(again).toEqual({ run: 2 });
});

it('is forgotten after 24 hours', async () => {
  const key = randomUUID();
  const first = await create(key);
  await service.database.acrossWorkspaces.execute(
    sql`update idempotency_records set expires_at = expires_at - interval '24 hours' where key = ${key}`,
  );
  expect((await create(key, { ...bot, name: 'Other' })).body.id).not.toBe(first.body.id);
});
