import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, startBrowser } from '../support/browser.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { makePerson, type Person } from '../support/end-users.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type Site, startSite } from '../widgets/browser/start-site.ts';

const guide = join(import.meta.dirname, '../../../../docs/widgets.md');

let site: Site;
let model: HandPlayedModel;
let service: TestApp;
let browser: Browser;
let botId: string;
let person: Person;
/** A page of an integrator, on an origin that is listed. */
let page: Page;
beforeAll(async () => {
  [site, model, browser] = await Promise.all([startSite(), startHandPlayedModel(), startBrowser()]);
  service = await startTestApp({
    environment: {
      ...scriptedEnvironment(model),
      SVC_CORS_ORIGINS: `http://${site.host('app.localhost')}`,
    },
  });
  botId = await chatWith(() => service).bot();
  person = await makePerson(service, { bot_id: botId });
  page = await open('app.localhost');
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await model?.close();
  await site?.close();
});

/** The page's own script: what the guide shows, and a request whose answer it reads to the end. */
async function open(host: string): Promise<Page> {
  const [, example = ''] = /```js\n(\/\/ On your page.*?)```/s.exec(await readFile(guide, 'utf8')) ?? [];
  const script = `${example.replaceAll('https://agents.example.com', service.url)}
    const shown = [];
    async function ask(token, operation, { body, headers } = {}) {
      const [method, path] = operation.split(' ');
      const response = await fetch('${service.url}' + path, {
        method,
        headers: { authorization: 'Bearer ' + token, ...(body && { 'content-type': 'application/json' }), ...headers },
        body: body && JSON.stringify(body),
      });
      return { status: response.status, requestId: response.headers.get('x-request-id'), body: await response.json() };
    }
    async function follow(token, conversationId, lastEventId, until) {
      const response = await fetch('${service.url}/api/v1/chat/stream?conversation_id=' + conversationId, {
        headers: { authorization: 'Bearer ' + token, 'last-event-id': String(lastEventId) },
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('event: ' + until)) text += (await reader.read()).value;
      await reader.cancel();
      return text;
    }`;
  const { page: opened } = await browser.open();
  await opened.goto(site.put(`/${host}`, { head: `<script>${script}</script>` }, host));
  return opened;
}

const run = <Result>(script: string, on = page): Promise<Result> => on.evaluate<Result>(script);
const ask = (operation: string, body?: object, token = person.token, on = page) =>
  run<{ status: number; requestId: string; body: Record<string, unknown> }>(
    `ask('${token}', '${operation}', ${JSON.stringify({ body })})`,
    on,
  );
const send = (message: string) =>
  run(`send('${person.token}', '${botId}', '${message}', (text) => shown.push(text))`);

it('shows a reply while it is written, with the code of the guide', async () => {
  const sending = send('Where is my parcel?');
  const reply = await model.next();
  reply.write('It is ');
  await eventually(() => run('shown.at(-1)')).toBe('It is ');
  reply.write('on its way.');
  reply.finish();
  await sending;
  expect(await run('shown.at(-1)')).toBe('It is on its way.');
});

it('follows a reply that it has lost, and stops it', async () => {
  // It ends with the page.
  void send('And the other one?').catch(() => undefined);
  const reply = await model.next();
  reply.write('Let me');
  await eventually(() => run('shown.at(-1)')).toBe('Let me');
  await page.reload();
  const { body: listed } = await ask('GET /api/v1/conversations');
  const [{ id, status }] = listed as unknown as [{ id: string; status: string }];
  expect(status).toBe('running');
  const { body: read } = await ask(`GET /api/v1/conversations/${id}`);
  const lastSeen = read['last_event_id'] as number;
  expect(await run(`follow('${person.token}', '${id}', ${lastSeen}, 'stream.snapshot')`)).toContain('Let me');
  expect(await ask('POST /api/v1/chat/stop', { conversation_id: id })).toMatchObject({
    status: 200,
    body: { stopped: true },
  });
  const end = await run<string>(`follow('${person.token}', '${id}', ${lastSeen}, 'turn.interrupted')`);
  expect(end).toContain('"interrupted":true');
  const { body: events } = await ask(`GET /api/v1/chat/events?conversation_id=${id}&after=${lastSeen}`);
  expect(events).toMatchObject([{ event: 'message.completed' }, { event: 'turn.interrupted' }]);
});

it('can read why a request was refused', async () => {
  const refused = await ask('GET /api/v1/conversations', undefined, `${person.token.slice(0, -4)}AAAA`);
  expect(refused).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  expect(refused.requestId).toBe(refused.body['request_id']);
});

it('reads nothing with an account key, on other operations, or on a page that is not listed', async () => {
  const blocked = /Failed to fetch/;
  await expect(ask('GET /api/v1/conversations', undefined, service.key)).rejects.toThrow(blocked);
  await expect(ask('GET /api/v1/bots')).rejects.toThrow(blocked);
  const elsewhere = await open('evil.localhost');
  await expect(ask('GET /api/v1/conversations', undefined, person.token, elsewhere)).rejects.toThrow(blocked);
});
