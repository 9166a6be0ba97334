import tls from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testCertificate } from '../egress/certificate.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createAsk, createBot } from './ask-page.ts';
import { createWidgetKey } from './use-widget.ts';

const trusted = tls.getCACertificates('default');
let service: TestApp;
let names: DnsServer;
let pictures: OutsideServer;
beforeAll(async () => {
  tls.setDefaultCACertificates([...trusted, testCertificate]);
  names = await startDnsServer(() => ({ addresses: ['127.0.0.1'] }));
  pictures = await startOutsideServer({ secure: true });
  service = await startTestApp({
    environment: { SVC_DNS_SERVERS: names.address, SVC_EGRESS_ALLOW: `127.0.0.1:${pictures.port}` },
  });
});
afterAll(async () => {
  await service.stop();
  await pictures.close();
  await names.close();
  tls.setDefaultCACertificates(trusted);
});

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)]);
const addressOf = (path: string) => `https://secure.example:${pictures.port}${path}`;

/** A page whose avatar is at this path of the other server. */
async function openPageWith(path: string) {
  const botId = await createBot(service.call);
  const body = { bot_id: botId, avatar_url: addressOf(path) };
  expect((await service.call('PUT /api/v1/widgets/customization', { body })).status).toBe(200);
  return createAsk(service, (await createWidgetKey(service, botId)).api_key);
}

const requestsFor = (path: string) => pictures.received.filter((one) => one.path === path).length;

it('is fetched once by the service and served from there', async () => {
  pictures.answerWith((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(png),
  );
  const ask = await openPageWith('/one.png');
  const answers = await Promise.all([1, 2].map(() => ask('GET /api/widget/avatar')));
  answers.push(await ask('GET /api/widget/avatar', { query: { version: 'x' } }));
  for (const { status, headers } of answers) {
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'max-age=3600',
      'access-control-allow-origin': 'https://shop.example.com',
    });
  }
  expect(requestsFor('/one.png')).toBe(1);
  expect((await ask('GET /api/widget/avatar', { origin: 'https://evil.test' })).status).toBe(403);
});

it.each([
  ['an SVG', 200, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a page', 200, Buffer.from('<html>PNG')],
  ['a picture that is too large', 200, Buffer.concat([png, Buffer.alloc(512 * 1024)])],
  ['an error', 404, png],
])('is not found where there is %s, which is not tried again at once', async (_what, status, body) => {
  pictures.answerWith((_request, response) =>
    response.writeHead(status, { 'content-type': 'image/png' }).end(body),
  );
  const path = `/${status}-${body.length}`;
  const ask = await openPageWith(path);
  for (const _ of [1, 2]) expect((await ask('GET /api/widget/avatar')).status).toBe(404);
  expect(requestsFor(path)).toBe(1);
});

it('is not fetched without encryption, not even by a redirect', async () => {
  pictures.answerWith((_request, response) =>
    response.writeHead(302, { location: `http://secure.example:${pictures.port}/plain` }).end(),
  );
  const ask = await openPageWith('/redirected');
  expect((await ask('GET /api/widget/avatar')).status).toBe(404);
});

it('is not found without one', async () => {
  const key = await createWidgetKey(service, await createBot(service.call));
  expect((await createAsk(service, key.api_key)('GET /api/widget/avatar')).status).toBe(404);
});
