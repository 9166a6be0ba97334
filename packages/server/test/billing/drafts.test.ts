import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, open, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { eventually, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { accountOf, inputTokensOf, type PaidWorkspace, recordedIn, workspaceWith } from './money.ts';

/** An output token costs a cent, an input token a thousandth of that. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 10, output: 10_000 } });
const documentation = 'There is no API in here.';
const good = JSON.stringify({ tools: [], notes: ['There is no API.'] });

let scripted: ScriptedModel;
let app: TestApp;
let service: PaidWorkspace;
beforeAll(async () => {
  scripted = await startScriptedModel();
  app = await startWith({});
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await app.stop();
  await scripted.close();
});

const startWith = (environment: Record<string, string>) =>
  startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_MODEL_PRICES: prices, ...environment },
  });
const start = async (balance: string | null) => {
  service = await workspaceWith(app, balance);
};

const json = { accept: 'application/json' };
const draft = (headers: Record<string, string> = json) =>
  service.call('POST /api/v1/tools/discover', { body: { documentation }, headers });
const account = () => accountOf(service.database, service.id);

describe('a draft', () => {
  it('is paid for, with every attempt, and belongs to no conversation', async () => {
    await start('100');
    scripted.enqueue([text('No JSON.'), usage(0, 300)], [text(good), usage(0, 200)]);
    expect((await draft()).status).toBe(200);
    expect(await account()).toEqual({ settled: 5, reserved: 0 });
    const nobody = { turn: null, conversation: null, bot: null, user: null };
    expect(await recordedIn(service.database, service.id)).toMatchObject([
      { output: 300, cost: 3, ...nobody },
      { output: 200, cost: 2, ...nobody },
    ]);
  });

  it('of a bot is paid for like one of tools', async () => {
    await start('100');
    scripted.respondWith([text('No JSON.'), usage(0, 100)]);
    const body = { description: 'A bot for a bakery.' };
    expect((await service.call('POST /api/v1/bots/discover', { body, headers: json })).status).toBe(502);
    expect(await account()).toEqual({ settled: 4, reserved: 0 });
  });

  it('is counted where there is no balance, with what it cost', async () => {
    await start(null);
    scripted.enqueue([text(good), usage(1_000, 200)]);
    expect((await draft()).status).toBe(200);
    expect(await recordedIn(service.database, service.id)).toMatchObject([
      { input: 1_000, output: 200, cost: 2.01 },
    ]);
    expect(await account()).toEqual({ settled: 0, reserved: 0 });
  });

  it.each(['application/json', 'text/event-stream'])(
    'is refused with 402 before anything begins when there is no money, for %s',
    async (accept) => {
      await start('4');
      const refused = await draft({ accept });
      expect(refused).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_BALANCE' } });
      expect(refused.headers.get('content-type')).toContain('application/json');
      expect(scripted.requests).toEqual([]);
    },
  );

  it('is refused with 400 on a model without a known price', async () => {
    const unpriced = await startWith({ SVC_DEFAULT_MODEL: 'openai/unheard-of' });
    service = await workspaceWith(unpriced, '4');
    const refused = await draft();
    await unpriced.stop();
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(refused.body.message).toContain('SVC_MODEL_PRICES');
  });

  it('ends when the balance runs out between its repairs', async () => {
    await start('12');
    scripted.respondWith([text('No JSON.'), usage(0, 400)]);
    expect(await draft()).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_BALANCE' } });
    // $12, $8, then $4, which is too little for another attempt.
    expect(scripted.requests).toHaveLength(2);
    expect(await account()).toEqual({ settled: 8, reserved: 0 });
    const streamed = await draft({ accept: 'text/event-stream' });
    expect(streamed.status).toBe(402);
  });

  it('reports on its stream that the balance ran out between its repairs', async () => {
    await start('12');
    scripted.respondWith([text('No JSON.'), usage(0, 400)]);
    const { body } = await draft({ accept: 'text/event-stream' });
    expect(body).toContain('discover.failed');
    expect(body).toContain('INSUFFICIENT_BALANCE');
  });

  it('is capped by what the balance can pay for', async () => {
    await start('12');
    scripted.enqueue([text(good), usage(0, 1)]);
    expect((await draft()).status).toBe(200);
    const maxTokens = Number(scripted.requests[0]?.body['max_tokens']);
    expect(maxTokens).toBeGreaterThan(500);
    expect(maxTokens).toBeLessThan(1_200);
  });
});

it('a caller that disconnects pays for what was sent until then', async () => {
  await start('100');
  scripted.respondWith([open, hang]);
  const gone = new AbortController();
  const left = fetch(`${service.url}/api/v1/tools/discover`, {
    method: 'POST',
    signal: gone.signal,
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...json },
    body: JSON.stringify({ documentation }),
  });
  await eventually(() => scripted.requests.length).toBe(1);
  expect((await account()).reserved).toBeGreaterThan(5);
  gone.abort();
  await expect(left).rejects.toThrow();
  const [request] = scripted.requests;
  if (!request) throw new Error('The model was not asked.');
  await eventually(() => recordedIn(service.database, service.id)).toMatchObject([
    { input: inputTokensOf(request), output: 0 },
  ]);
  const { settled, reserved } = await account();
  expect([settled, reserved]).toEqual([expect.closeTo(inputTokensOf(request) / 100_000, 9), 0]);
});
