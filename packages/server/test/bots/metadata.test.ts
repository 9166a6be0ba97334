import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const call: TestApp['call'] = (operation, options) => service.call(operation, options);

async function createBot(body: object = {}): Promise<string> {
  const answer = await call('POST /api/v1/bots', { body: { name: 'Bot', system_prompt: 'Help.', ...body } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const read = async (id: string) => (await call(`GET /api/v1/bots/${id}`)).body;

describe('metadata', () => {
  it('is replaced wholesale and cleared by {}', async () => {
    const id = await createBot({ metadata: { a: '1', b: '2' } });
    await call(`PATCH /api/v1/bots/${id}/metadata`, { body: { c: '3' } });
    expect((await read(id)).metadata).toEqual({ c: '3' });
    await call(`PATCH /api/v1/bots/${id}/metadata`, { body: {} });
    expect((await read(id)).metadata).toEqual({});
  });

  it.each([
    ['a number', { a: 1 }],
    ['null', { a: null }],
    ['an object', { a: {} }],
    ['8,193 bytes', { a: 'é'.repeat(4092) + 'x' }],
    ['an array', ['a']],
  ])('with %s is 422 wherever it is written', async (_what, metadata) => {
    const id = await createBot({ metadata: { kept: 'yes' } });
    for (const answer of [
      await call(`PATCH /api/v1/bots/${id}/metadata`, { body: metadata }),
      await call(`PUT /api/v1/bots/${id}`, { body: { metadata } }),
      await call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x', metadata } }),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { code: 'METADATA_INVALID' } });
    }
    expect((await read(id)).metadata).toEqual({ kept: 'yes' });
  });

  it('of exactly 8,192 bytes is accepted', async () => {
    const id = await createBot();
    const metadata = { a: 'x'.repeat(8192 - '{"a":""}'.length) };
    expect((await call(`PATCH /api/v1/bots/${id}/metadata`, { body: metadata })).status).toBe(200);
  });

  it('filters lists, all filters together', async () => {
    const both = await createBot({ metadata: { city: 'Köln & Bonn', tier: 'gold' } });
    const one = await createBot({ metadata: { city: 'Köln & Bonn', tier: 'tin' } });
    const list = async (query: string) =>
      (await call(`GET /api/v1/bots?${query}`)).body.map((bot: { id: string }) => bot.id);
    const city = `metadata.city=${encodeURIComponent('Köln & Bonn')}`;
    expect(await list(city)).toEqual([both, one]);
    expect(await list(`${city}&metadata.tier=gold`)).toEqual([both]);
    expect(await list('metadata.city=nowhere')).toEqual([]);
  });

  it('filters that are misspelt are refused, not ignored', async () => {
    expect(await call('GET /api/v1/bots?metdata.city=x')).toMatchObject({
      status: 400,
      body: { details: [{ path: 'metdata.city', message: 'is not a known field' }] },
    });
  });
});

describe('the plan', () => {
  it('limits active bots, even in a race and on reactivation', async () => {
    const limited = await startTestApp({ environment: { SVC_PLAN_MAX_BOTS: '2' } });
    try {
      const body = { name: 'x', system_prompt: 'x' };
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => limited.call('POST /api/v1/bots', { body })),
      );
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(2);
      const refused = answers.filter((answer) => answer.status === 402);
      expect(refused).toHaveLength(6);
      expect(refused[0]?.body).toMatchObject({ code: 'PLAN_LIMIT_REACHED' });

      const [first] = (await limited.call('GET /api/v1/bots')).body;
      await limited.call(`DELETE /api/v1/bots/${first.id}`);
      expect((await limited.call('POST /api/v1/bots', { body })).status).toBe(201);
      const again = await limited.call(`PUT /api/v1/bots/${first.id}`, { body: { status: 'active' } });
      expect(again).toMatchObject({ status: 402, body: { code: 'PLAN_LIMIT_REACHED' } });
      expect(
        (await limited.call('POST /api/v1/bots', { body: { ...body, status: 'inactive' } })).status,
      ).toBe(201);
    } finally {
      await limited.stop();
    }
  });
});
