import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import {
  refund,
  refundConfiguration,
  refundDesk,
  type Shop,
  secretToken,
  startShop,
} from '../support/refund-shop.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const newToken = 'tok-canary-new-77';
let scripted: ScriptedModel;
let service: TestApp;
let oldShop: Shop;
let newShop: Shop;
const desk = refundDesk(
  () => service,
  () => oldShop,
  () => scripted,
);

beforeAll(async () => {
  scripted = await startScriptedModel();
  oldShop = await startShop();
  newShop = await startShop();
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  oldShop.close();
  newShop.close();
});
beforeEach(() => {
  oldShop.refunds.length = 0;
  newShop.refunds.length = 0;
});

interface Stored {
  configuration: object;
  wrapped_key: Buffer;
  sealed: Buffer;
}

/** Moves a tool to another origin with another secret, just before a reader reads the secrets. */
async function movedWhile<Result>(toolId: string, read: () => Promise<Result>): Promise<Result> {
  const { database } = service;
  const put = async (shop: Shop, token: string) => {
    const configuration = { ...refundConfiguration(shop), approval: 'never', bearer_token: token };
    const answer = await service.call(`PUT /api/v1/tools/${toolId}`, { body: { configuration } });
    expect(answer).toMatchObject({ status: 200 });
    const { rows } = await database.acrossWorkspaces.raw(
      'select configuration, wrapped_key, sealed from tools join tool_secrets on tool_id = id where id = $1',
      [toolId],
    );
    return rows[0] as Stored;
  };
  const moved = await put(newShop, newToken);
  await put(oldShop, secretToken);
  let reading: Promise<Result> | undefined;
  await database.acrossWorkspaces.transaction(async (tx) => {
    await tx.raw('lock table tool_secrets in access exclusive mode');
    reading = read();
    const isWaiting = async () => {
      const { rows } = await database.acrossWorkspaces.raw(
        "select 1 from pg_locks where not granted and relation = 'tool_secrets'::regclass",
      );
      return rows.length > 0;
    };
    await expect.poll(isWaiting).toBe(true);
    await tx.raw('update tools set configuration = $2 where id = $1', [toolId, moved.configuration]);
    await tx.raw('update tool_secrets set wrapped_key = $2, sealed = $3 where tool_id = $1', [
      toolId,
      moved.wrapped_key,
      moved.sealed,
    ]);
  });
  return (await reading) as Result;
}

const seen = () =>
  [...oldShop.refunds, ...newShop.refunds].map(({ authorization }, index) => ({
    shop: index < oldShop.refunds.length ? 'old' : 'new',
    authorization,
  }));

it('a test of a tool never sends a new secret to an old origin', async () => {
  const { toolId } = await desk.makeBot();
  const answer = await movedWhile(toolId, () =>
    service.call(`POST /api/v1/tools/${toolId}/test`, { body: { parameters: { ...refund } } }),
  );
  expect(answer.body).toMatchObject({ success: true });
  expect(seen()).toEqual([{ shop: 'new', authorization: `Bearer ${newToken}` }]);
});

it('a turn never sends a new secret to an old origin', async () => {
  const { botId, toolId } = await desk.makeBot();
  scripted.enqueue([toolCall('refund', { ...refund })], [text('Done.')]);
  const turn = await movedWhile(toolId, () => chatWith(() => service).say({ bot_id: botId }));
  expect(turn.last.event).toBe('turn.completed');
  expect(seen()).toEqual([{ shop: 'new', authorization: `Bearer ${newToken}` }]);
});
