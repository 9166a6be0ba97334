import type { WidgetKey } from '@svc/contract/widgets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { eventually } from '../support/chat.ts';
import type { SseReader } from '../support/sse-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { createWidget, openPage, type Page } from './use-widget.ts';

let store: TestDatabase;
let one: TestNode;
let other: TestNode;
beforeAll(async () => {
  store = await createTestDatabase();
  [one, other] = [await start(), await start()];
});
afterAll(async () => {
  await one.stop();
  await other.stop();
  await store.drop();
});

async function start(): Promise<TestNode> {
  const database = openDatabase({ connection: store.connection, onConnectionError: () => undefined });
  const node = await startNode({ database });
  return {
    ...node,
    async stop() {
      await node.stop();
      await database.close();
    },
  };
}

describe('a stream on another node', () => {
  let key: WidgetKey;
  let page: Page;
  let token: string;
  let stream: SseReader;
  beforeEach(async () => {
    key = await createWidget(one, { key: { allowed_domains: ['shop.example.com', 'example.org'] } });
    page = openPage(other, key.api_key);
    token = (await page.issueToken()).token;
    const id = await page.say(token);
    stream = await page.open(`/api/widget/stream?conversation_id=${id}&after=0`, { token });
    await stream.until('turn.completed');
  });
  /** Sooner than the check every 30 seconds, which is there in case a notification is lost. */
  async function expectEndSoon(): Promise<void> {
    const startedAt = performance.now();
    expect(await stream.ended()).toMatchObject({ complete: true });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  }
  const status = async () => (await page.call('GET /api/widget/conversations', { token })).status;

  it('ends when the key is revoked', async () => {
    await one.call(`DELETE /api/v1/widgets/keys/${key.id}`);
    await expectEndSoon();
    expect(await status()).toBe(401);
    expect(await page.call('POST /api/widget/token', { body: {} })).toMatchObject({ status: 401 });
  });

  it('ends when its page may no longer use the key', async () => {
    const change = (allowedDomains: string[]) =>
      one.call(`PATCH /api/v1/widgets/keys/${key.id}`, { body: { allowed_domains: allowedDomains } });
    await change(['example.org']);
    await expectEndSoon();
    expect(await status()).toBe(403);
    await change(['shop.example.com']);
    await eventually(status).toBe(200);
  });

  it('continues when something else about the key changes', async () => {
    await one.call(`PATCH /api/v1/widgets/keys/${key.id}`, {
      body: { name: 'Another', allowed_domains: ['shop.example.com'], rate_limit_per_hour: 5 },
    });
    const before = stream.events.length;
    await page.say(token);
    await eventually(() => stream.events.slice(before).map(({ event }) => event)).toContain('turn.completed');
    stream.close();
  });
});
