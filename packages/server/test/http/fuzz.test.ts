import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Member, makeMember } from '../support/members.ts';
import { fillPath, type Operation, pathResources, readOperations } from '../support/operations.ts';
import { isFull, runs } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type FakeTwilio, startFakeTwilio } from '../support/voice/fake-twilio.ts';
import { isOfWidgets, type OwnPage, openOwnPage, pageOptions, withWidgetKey } from './own-page.ts';
import { consoleOptions, isOfConsole } from './session.ts';

let twilio: FakeTwilio;
let service: TestApp;
let botId: string;
let page: OwnPage;
let owner: Member;
beforeAll(async () => {
  twilio = await startFakeTwilio();
  service = await startTestApp({
    environment: {
      ...twilio.environment,
      SVC_VOICE_TRANSPORT: 'twilio',
      SVC_PUBLIC_URL: 'https://svc.example',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  page = await openOwnPage(service);
  owner = await makeMember(service, { role: 'owner' });
  botId = (await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
});
afterAll(async () => {
  await service.stop();
  await twilio.stop();
});

const hostile = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    '\u0000',
    '\ud800',
    '',
    'a'.repeat(100_000),
    -1,
    1e308,
    2 ** 53,
    null,
    [],
    {},
    true,
  ),
  fc.constantFrom<unknown>('0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90', '{}', '{"a":1}', 'TZ=UTC * * * * *'),
  fc.string({ unit: 'binary' }),
);

/** The operation's example with some hostile fields, or any value at all. */
function bodies(operation: Operation): fc.Arbitrary<unknown> {
  const example = (operation.body?.example ?? {}) as Record<string, unknown>;
  const fields = Object.keys(operation.body?.schema.properties ?? {});
  const field = fields.length > 0 ? fc.constantFrom(...fields) : fc.string();
  const bent = fc.dictionary(field, hostile, { maxKeys: 4 }).map((changes) => ({ ...example, ...changes }));
  return fc.oneof({ weight: 4, arbitrary: bent }, { weight: 1, arbitrary: hostile });
}

it('no body makes any operation fail with a 5xx', async () => {
  const operations = (await readOperations(service)).filter((operation) => operation.body);
  expect(operations.length).toBeGreaterThan(0);
  for (const operation of operations) {
    const filled = fillPath(
      operation.path,
      pathResources(operation.path).map(() => botId),
    );
    const isOfWidget = isOfWidgets(operation);
    const path = isOfWidget ? withWidgetKey(filled, page.widgetKey) : filled;
    const isOfPeople = isOfConsole(operation);
    const options = isOfWidget
      ? pageOptions(operation, page)
      : isOfPeople
        ? consoleOptions(operation, service.url, owner)
        : {};
    await fc.assert(
      fc.asyncProperty(bodies(operation), async (body) => {
        const text = JSON.stringify(body) ?? 'null';
        const headers = { ...options.headers, ...(isOfPeople && { 'x-forwarded-for': randomAddress() }) };
        const answer = await service.call(`${operation.method} ${path}`, { ...options, headers, body: text });
        // A valid body is answered with "no model"; discover-openapi.test.ts covers the rest.
        const isNotSetUp = answer.body?.code === 'NO_MODEL_CONFIGURED';
        if (!isNotSetUp) expect(answer.status, `${operation.name} ${text.slice(0, 500)}`).toBeLessThan(500);
        if (answer.status >= 400) expectErrorShape(answer.body);
      }),
      // Visitors have limits of their own; passwords and sessions take time to check.
      { numRuns: isOfWidget || isOfPeople ? (isFull ? 50 : 3) : isFull ? 150 : 8 },
    );
    await deleteSources();
  }
  expect((await service.call('GET /readyz')).status).toBe(200);
});

it('no bytes make any operation fail with a 5xx', async () => {
  const types = fc.constantFrom(
    'application/json',
    'text/plain',
    'application/xml',
    'multipart/form-data',
    '',
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), types, async (body, type) => {
      const answer = await service.call('POST /api/v1/bots', { body, headers: { 'content-type': type } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expectErrorShape(answer.body);
    }),
    runs(200),
  );
});

it('no query makes a list fail with a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (name, value) => {
      const query = `metadata.${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;
      const answer = await service.call(`GET /api/v1/bots?${query}`);
      expect(answer.status).toBeLessThan(500);
    }),
    runs(200),
  );
});

/** Attempts to sign in are limited per network, and refusals wait. */
function randomAddress(): string {
  return `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;
}

/** Ingesting each accepted source would take two processes, and these tests do not need it. */
async function deleteSources(): Promise<void> {
  for (;;) {
    const sources: { id: string }[] = (await service.call('GET /api/v1/knowledge')).body;
    if (sources.length === 0) return;
    for (const { id } of sources) await service.call(`DELETE /api/v1/knowledge/${id}`);
  }
}

function expectErrorShape(body: unknown): void {
  expect(body).toEqual({
    success: false,
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.stringMatching(/\S/),
    request_id: expect.any(String),
    ...((body as { details?: unknown }).details !== undefined && { details: expect.any(Array) }),
  });
}
