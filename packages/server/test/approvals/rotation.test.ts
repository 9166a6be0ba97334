import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { refundDesk, type Shop, startShop } from '../support/refund-shop.ts';
import { runCommand } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

const [old, fresh] = [randomBytes(32), randomBytes(32)];
let scripted: ScriptedModel;
let shop: Shop;
let store: TestDatabase;
let node: TestNode;
const desk = refundDesk(
  () => node,
  () => shop,
  () => scripted,
);

beforeAll(async () => {
  scripted = await startScriptedModel();
  shop = await startShop();
  store = await createTestDatabase();
});
afterAll(async () => {
  await store.drop();
  await scripted.close();
  shop.close();
});
beforeEach(() => {
  scripted.reset();
  shop.refunds.length = 0;
});

const start = (key: Buffer) =>
  startNode({
    database: store.database,
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
    keyRing: createKeyRing(key),
  });

async function rotate() {
  const result = await runCommand(['secrets', 'rotate', '--json'], {
    ...store.environment,
    SVC_ENCRYPTION_KEY: fresh.toString('base64'),
    SVC_ENCRYPTION_KEY_PREVIOUS: old.toString('base64'),
  });
  expect(result, result.stderr).toMatchObject({ code: 0 });
}

it('an approval outlives a change of the encryption key, and still covers the tool', async () => {
  node = await start(old);
  const kept = await desk.makeBot();
  const changed = await desk.makeBot();
  const [keeping, changing] = [await desk.pause(kept), await desk.pause(changed)];
  const [first = '', second = ''] = [keeping.approvalIds[0], changing.approvalIds[0]];
  await node.stop();
  await rotate();

  node = await start(fresh);
  expect((await desk.respond(first, { action: 'approve' })).status).toBe(200);
  await desk.ending(keeping);
  expect(shop.refunds).toHaveLength(1);
  const change = { body: { is_active: false } };
  expect((await node.call(`PUT /api/v1/tools/${changed.toolId}`, change)).status).toBe(200);
  expect(await desk.respond(second, { action: 'approve' })).toMatchObject({
    status: 409,
    body: { details: [{ status: 'expired', reason: expect.stringContaining('was changed') }] },
  });
  await desk.ending(changing);
  expect(shop.refunds).toHaveLength(1);
  await node.stop();
});

/** A turn that waits under the old key. The tool has no secret, so only the approval needs that key. */
async function pauseWithoutSecret(): Promise<{ turn: Awaited<ReturnType<typeof desk.pause>>; id: string }> {
  node = await start(old);
  const bot = await desk.makeBot();
  const { configuration } = (await node.call(`GET /api/v1/tools/${bot.toolId}`)).body;
  const body = { configuration: { ...configuration, auth_type: 'none', bearer_token: null } };
  expect((await node.call(`PUT /api/v1/tools/${bot.toolId}`, { body })).status).toBe(200);
  const turn = await desk.pause(bot);
  await node.stop();
  return { turn, id: turn.approvalIds[0] ?? '' };
}

async function isPending(turn: { conversationId: string }): Promise<boolean> {
  const { body } = await node.call(`GET /api/v1/hitl?conversation_id=${turn.conversationId}`);
  return JSON.stringify(body).includes('"pending"');
}

it('stays pending on a node that lacks its key, and is approved on one that has it', async () => {
  const { turn, id } = await pauseWithoutSecret();
  node = await start(fresh);
  expect(await desk.respond(id, { action: 'approve' })).toMatchObject({
    status: 503,
    body: {
      code: 'NOT_READY',
      message: expect.stringContaining('lacks the encryption key'),
    },
  });
  expect(await isPending(turn)).toBe(true);
  await node.stop();

  node = await start(old);
  expect((await desk.respond(id, { action: 'approve' })).status).toBe(200);
  await desk.ending(turn);
  expect(shop.refunds).toHaveLength(1);
  await node.stop();
});

it('is denied even if its key was thrown away', async () => {
  const { turn, id } = await pauseWithoutSecret();
  node = await start(fresh);
  expect((await desk.respond(id, { action: 'deny' })).body).toMatchObject({ status: 'denied' });
  expect((await desk.ending(turn)).at(-1)?.event).toBe('turn.completed');
  await node.stop();
});

it('expires in time even if its key was thrown away', async () => {
  const { turn, id } = await pauseWithoutSecret();
  await store.database.acrossWorkspaces.raw('update approvals set expires_at = now() where id = $1', [id]);
  node = await start(fresh);
  expect(await desk.respond(id, { action: 'approve' })).toMatchObject({
    status: 409,
    body: { details: [{ status: 'expired', reason: 'Nobody answered in time.' }] },
  });
  expect((await desk.ending(turn)).at(-1)?.event).toBe('turn.completed');
  expect(shop.refunds).toHaveLength(0);
  await node.stop();
});
