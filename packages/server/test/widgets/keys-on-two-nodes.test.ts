import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { createAsk, createBot } from './ask-page.ts';
import { createWidgetKey } from './use-widget.ts';

let storage: Awaited<ReturnType<typeof createTestDatabase>>;
let nodes: [TestNode, TestNode];
beforeAll(async () => {
  storage = await createTestDatabase();
  const { database } = storage;
  nodes = [await startNode({ database }), await startNode({ database })];
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await storage.drop();
});

const look = 'GET /api/widget/look';

it('a change on one node is noticed by the other, which remembers keys', async () => {
  const [one, other] = nodes;
  const botId = await createBot(one.call);
  const key = await createWidgetKey(one, botId);
  const ask = createAsk(other, key.api_key);
  const seen = async () => {
    const { status, body } = await ask(look);
    return status === 200 ? body.title : status;
  };
  expect(await seen()).toBe('Helper');
  const body = { bot_id: botId, widget_title: 'Shop' };
  await one.call('PUT /api/v1/widgets/customization', { body });
  await expect.poll(seen).toBe('Shop');
  const path = `/api/v1/widgets/keys/${key.id}`;
  await one.call(`PATCH ${path}`, { body: { allowed_domains: ['other.example.com'] } });
  await expect.poll(seen).toBe(403);
  await one.call(`PATCH ${path}`, { body: { allowed_domains: ['shop.example.com'] } });
  await expect.poll(seen).toBe('Shop');
  await one.call(`DELETE ${path}`);
  await expect.poll(seen).toBe(401);
});
