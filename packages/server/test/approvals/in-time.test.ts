import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { refundDesk, type Shop, startShop } from '../support/refund-shop.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let scripted: ScriptedModel;
let shop: Shop;
let store: TestDatabase;
let node: TestNode;
let ahead = 0;
const desk = refundDesk(
  () => node,
  () => shop,
  () => scripted,
);

beforeAll(async () => {
  scripted = await startScriptedModel();
  shop = await startShop();
  store = await createTestDatabase();
  node = await startNode({
    database: store.database,
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
    clock: { now: () => new Date(Date.now() + ahead) },
    // The sweep does not interfere.
    scheduleEveryMilliseconds: 600_000,
  });
});
afterAll(async () => {
  await node.stop();
  await store.drop();
  await scripted.close();
  shop.close();
});

it('an answer counts from when it arrived, however long its write had to wait', async () => {
  const turn = await desk.pause(await desk.makeBot());
  const [id = ''] = turn.approvalIds;
  const { database } = store;
  let answering: ReturnType<typeof desk.respond> | undefined;
  await database.acrossWorkspaces.transaction(async (tx) => {
    await tx.raw('select 1 from approvals where id = $1 for update', [id]);
    answering = desk.respond(id, { action: 'approve' });
    const isWaiting = async () => {
      const { rows } = await database.acrossWorkspaces.raw(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%approvals%' and datname = current_database()",
      );
      return rows.length > 0;
    };
    await expect.poll(isWaiting).toBe(true);
    await tx.raw("update approvals set expires_at = now() + interval '1 hour' where id = $1", [id]);
    ahead = 2 * 3_600_000;
  });
  expect(await answering).toMatchObject({ status: 200, body: { status: 'approved' } });
});
