import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { createKeyRing } from '../src/secrets/key-ring.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/server.ts';
import { scriptedEnvironment } from './support/chat.ts';
import { refundDesk, type Shop, startShop } from './support/refund-shop.ts';
import { runCommand } from './support/service-process.ts';
import { createTestDatabase, type TestDatabase } from './support/test-database.ts';
import { startNode, type TestNode } from './support/test-node.ts';

vi.setConfig({ testTimeout: 90_000 });

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

const start = (key: Buffer) =>
  startNode({
    database: store.database,
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
    keyRing: createKeyRing(key),
  });

async function rotate() {
  const { rows } = await store.database.query.raw('select current_database() as name');
  const [{ name }] = rows as [{ name: string }];
  const { user, host, port, password } = inject('postgres');
  const result = await runCommand(['secrets', 'rotate', '--json'], {
    DATABASE_URL: `postgres://${user}${password ? `:${password}` : ''}@/${name}?host=${host}&port=${port}`,
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

it('one whose key was thrown away too early does not run, and says why', async () => {
  scripted.reset();
  node = await start(old);
  // Without a secret there is nothing else that the lost key would be needed for.
  const bot = await desk.makeBot();
  const cleared = {
    configuration: { ...(await node.call(`GET /api/v1/tools/${bot.toolId}`)).body.configuration },
  };
  Object.assign(cleared.configuration, { auth_type: 'none', bearer_token: null });
  expect((await node.call(`PUT /api/v1/tools/${bot.toolId}`, { body: cleared })).status).toBe(200);
  const turn = await desk.pause(bot);
  const done = shop.refunds.length;
  await node.stop();
  node = await start(fresh);
  expect(await desk.respond(turn.approvalIds[0] ?? '', { action: 'approve' })).toMatchObject({
    status: 409,
    body: { details: [{ status: 'expired', reason: expect.stringContaining('can no longer be told') }] },
  });
  await desk.ending(turn);
  expect(shop.refunds).toHaveLength(done);
  await node.stop();
});
