import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutage, type Outage } from '../support/embedded-outage.ts';
import {
  makeDataDirectory,
  type ServiceProcess,
  startServiceProcess,
  stopLeftBehind,
} from '../support/service-process.ts';
import type { Answer, Call } from '../support/test-app.ts';

const bot = { name: 'Kept', system_prompt: 'Canary: what an author wrote is not for the log.' };
let data: Awaited<ReturnType<typeof makeDataDirectory>>;
let outage: Outage;
let service: ServiceProcess;
let call: Call;

beforeAll(async () => {
  data = await makeDataDirectory();
  outage = createOutage(data.path);
  const key = `svc_sk_${'L'.repeat(43)}`;
  service = await startServiceProcess({ SVC_DATA_DIR: data.path, SVC_BOOTSTRAP_KEY: key });
  await service.ready();
  call = service.call(key);
});
afterAll(async () => {
  // After all that it still stops as it should.
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await stopLeftBehind(data.path);
  await data.remove();
});

const create = (headers: Record<string, string> = {}) => call('POST /api/v1/bots', { body: bot, headers });
const statusOf = async (operation: string) => (await call(operation)).status;
const countBots = async () => (await call('GET /api/v1/bots')).body.length as number;
const healed = () => expect.poll(() => statusOf('GET /readyz')).toBe(200);

/** The usual error shape, without any text from the database. */
function expectNotReady(answer: Answer): void {
  expect(answer).toMatchObject({ status: 503 });
  expect(answer.body).toEqual({
    success: false,
    code: 'NOT_READY',
    message: 'The service is not ready yet.',
    request_id: answer.headers.get('x-request-id'),
  });
}

describe('when PostgreSQL is killed under the service', () => {
  it('reports it, stays alive, and recovers by itself', async () => {
    const { id } = (await create()).body;
    const before = await countBots();
    await outage.preventStart();
    await outage.killPostgres();
    await expect.poll(() => statusOf('GET /readyz')).toBe(503);
    for (const operation of ['GET /readyz', 'GET /api/v1/bots', `GET /api/v1/bots/${id}`]) {
      expectNotReady(await call(operation));
    }
    expectNotReady(await create());
    expectNotReady(await create({ 'idempotency-key': 'again' }));
    expectNotReady(await call(`DELETE /api/v1/bots/${id}`));
    expectNotReady(await call('GET /api/v1/bots', { key: `svc_sk_${'U'.repeat(43)}` }));
    expect(await statusOf('GET /healthz')).toBe(200);

    await outage.allowStart();
    await healed();
    expect((await call(`GET /api/v1/bots/${id}`)).body).toMatchObject({ ...bot, status: 'active' });
    expect((await create({ 'idempotency-key': 'again' })).status).toBe(201);
    expect(await countBots()).toBe(before + 1);
  });

  it('answers pending requests, even inside a transaction', async () => {
    const before = await countBots();
    const logged = service.output().length;
    await outage.lockTable('bots');
    const underWay = Promise.all([create(), create(), create({ 'idempotency-key': 'first' })]);
    await Promise.race([underWay, expect.poll(() => outage.countWaiting()).toBeGreaterThan(0)]);
    await outage.killPostgres();
    const answers = await underWay;
    for (const answer of answers) expectNotReady(answer);
    const told = () =>
      service
        .output()
        .slice(logged)
        .match(/^.*The request failed.*$/gm) ?? [];
    await expect.poll(told).toHaveLength(3);
    for (const { body } of answers)
      expect(told().filter((line) => line.includes(body.request_id))).toHaveLength(1);
    expect(service.output()).not.toContain(bot.system_prompt);
    await healed();
    expect((await create({ 'idempotency-key': 'second' })).status).toBe(201);
    expect(await countBots()).toBe(before + 1);
  });

  it('answers with nothing else while requests keep coming', async () => {
    const answers: Answer[] = [];
    const lives: number[] = [];
    const over = new AbortController();
    const askOn = async (ask: () => Promise<void>) => {
      while (!over.signal.aborted) {
        await ask();
        await delay(20);
      }
    };
    const collect = (operation: string, body?: object) =>
      askOn(async () => void answers.push(await call(operation, { body })));
    const asking = Promise.all([
      collect('POST /api/v1/bots', bot),
      collect('POST /api/v1/bots', bot),
      collect('GET /api/v1/bots?metadata.a=b'),
      collect('GET /readyz'),
      askOn(async () => void lives.push(await statusOf('GET /healthz'))),
    ]);
    // A request without any answer ends the wait.
    const until = (holds: () => boolean) => Promise.race([asking, expect.poll(holds).toBe(true)]);
    await until(() => answers.length > 20);
    await outage.killPostgres();
    await until(() => answers.some(({ status }) => status === 503));
    await until(() => answers.slice(-20).every(({ status }) => status < 300));
    over.abort();
    await asking;
    for (const answer of answers.filter(({ status }) => status >= 300)) expectNotReady(answer);
    expect(new Set(lives)).toEqual(new Set([200]));
  });
});
