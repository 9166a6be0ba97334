import { fastify } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ListPages } from '../../src/database/list-page.ts';
import { createSendList } from '../../src/http/send-list.ts';
import { toolStore } from '../../src/tools/tools.store.ts';
import { eventually } from '../support/chat.ts';
import { setLimits } from '../support/limits.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { readSlowly, type SlowReader } from './slow-reader.ts';

const million = 1_000_000;

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
  // Each row is compressed to a few kilobytes in storage.
  await service.database.acrossWorkspaces.raw(
    `insert into tools (id, workspace_id, tool_type, name, configuration)
      select gen_random_uuid(), workspaces.id, 'http_request', 'Tool ' || n,
        jsonb_build_object('url', 'https://example.com', 'query', jsonb_build_object('q', repeat('a', 1000000)))
      from generate_series(1, 24) as n, workspaces`,
    [],
  );
});
afterAll(() => service.stop());

it('a page is limited by the size of its rows, not by their compressed size in storage', async () => {
  const { rows } = await service.database.acrossWorkspaces.raw('select id from workspaces', []);
  const { id } = rows[0] as { id: string };
  const page = await toolStore.listPage(service.database.acrossWorkspaces, id, {}, undefined);
  expect(page).toHaveLength(1);
  const next = await toolStore.listPage(service.database.acrossWorkspaces, id, {}, page[0]?.cursor);
  expect(next).toHaveLength(1);
  expect(next[0]?.id).not.toBe(page[0]?.id);
});

describe('long lists', () => {
  afterEach(() => setLimits(service, { lists: 'default' }));

  it('are refused above the limit while others are being read, and accepted again afterwards', async () => {
    await setLimits(service, { lists: 2 });
    const read = () => readSlowly(`${service.url}/api/v1/tools`, service.key);
    const readers: SlowReader[] = [await read(), await read()];
    expect(readers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await service.call('GET /api/v1/tools')).toMatchObject({
      status: 429,
      body: {
        code: 'RATE_LIMITED',
        message: expect.stringContaining('--max-lists'),
        details: [{ limit: 'lists', value: 2 }],
      },
    });
    // A short list does not count.
    expect((await service.call('GET /api/v1/bots')).status).toBe(200);
    readers[0]?.close();
    await eventually(async () => (await service.call('GET /api/v1/tools')).status).toBe(200);
    readers[1]?.close();
  });
});

describe('a reader', () => {
  const items = { type: 'object', properties: { text: { type: 'string' } } };
  const schema = { response: { 200: { type: 'array', items } } };

  async function serve(list: () => ListPages<{ text: string }>, maxStallMs: number) {
    const app = fastify();
    app.decorateRequest('leaveQueue', () => undefined);
    const sendList = createSendList({ concurrencyLimits: { whileOpen: () => undefined }, maxStallMs });
    app.get('/', { schema }, (_request, reply) => sendList(reply, list()));
    return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) };
  }

  it('that reads nothing is disconnected', async () => {
    let isGivenUp = false;
    async function* endless(): ListPages<{ text: string }> {
      try {
        for (;;) yield [{ text: 'x'.repeat(million) }];
      } finally {
        isGivenUp = true;
      }
    }
    const { app, url } = await serve(endless, 300);
    const reader = await readSlowly(url, 'none');
    await eventually(() => isGivenUp).toBe(true);
    expect(await reader.take(1_000 * million)).toBe(false);
    expect(reader.isComplete()).toBe(false);
    await app.close();
  });

  it('that waits for a slow list is not disconnected', async () => {
    const maxStallMs = 100;
    async function* slow(): ListPages<{ text: string }> {
      yield [{ text: 'ä'.repeat(100_000) }];
      await new Promise((resolve) => setTimeout(resolve, 10 * maxStallMs));
      yield [{ text: '𝄞'.repeat(100_001) }, { text: 'b' }];
      await new Promise((resolve) => setTimeout(resolve, 10 * maxStallMs));
      return [];
    }
    const { app, url } = await serve(slow, maxStallMs);
    const answer = await fetch(url);
    const texts = ['ä'.repeat(100_000), '𝄞'.repeat(100_001), 'b'];
    expect(await answer.text()).toBe(JSON.stringify(texts.map((text) => ({ text }))));
    await app.close();
  });
});
