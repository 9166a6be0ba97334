import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createBot } from './ask-page.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const path = '/api/v1/widgets/customization';
const read = async (botId: string) => (await service.call(`GET ${path}?bot_id=${botId}`)).body;
const put = (body: Record<string, unknown>) => service.call(`PUT ${path}`, { body });

it('begins with the defaults, and has one id from the first read on', async () => {
  const botId = await createBot(service.call);
  const all = await Promise.all(Array.from({ length: 4 }, () => read(botId)));
  expect(new Set(all.map((one) => one.id)).size).toBe(1);
  expect(all[0]).toEqual({
    id: expect.any(String),
    bot_id: botId,
    theme_color: '#4f46e5',
    position: 'bottom-right',
    greeting_text: 'Hi! How can I help?',
    welcome_message: null,
    avatar_url: null,
    show_branding: true,
    widget_title: null,
    placeholder_text: 'Type a message…',
    voice_enabled: false,
    attachments_enabled: false,
    ask_details: 'never',
    office_hours: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
});

it('takes the given fields and keeps the others', async () => {
  const botId = await createBot(service.call);
  const first = await put({ bot_id: botId, theme_color: '#4AF', position: 'top-left', widget_title: 'Shop' });
  expect(first).toMatchObject({
    status: 200,
    body: { theme_color: '#44aaff', position: 'top-left', widget_title: 'Shop', show_branding: true },
  });
  const { body } = await put({ bot_id: botId, show_branding: false, widget_title: null, greeting_text: '' });
  expect(body).toEqual({
    ...first.body,
    show_branding: false,
    widget_title: null,
    greeting_text: '',
    updated_at: expect.any(String),
  });
  expect(await read(botId)).toEqual(body);
  // What was read can be sent back.
  expect((await put(body)).body).toEqual({ ...body, updated_at: expect.any(String) });
});

it.each([
  ['theme_color', 'red'],
  ['theme_color', '#12345'],
  ['theme_color', '#gggggg'],
  ['theme_color', '#4f46e5;x'],
  ['position', 'center'],
  ['greeting_text', 'x'.repeat(201)],
  ['welcome_message', 'x'.repeat(2001)],
  ['widget_title', 'x'.repeat(61)],
  ['placeholder_text', 'x'.repeat(101)],
  ['show_branding', 'yes'],
  ['avatar_url', 'http://example.com/a.png'],
  ['avatar_url', 'data:image/png;base64,AAAA'],
  ['avatar_url', 'javascript:alert(1)'],
  ['avatar_url', ''],
  ['avatar_url', '/a.png'],
  ['avatar_url', 'https://user:password@example.com/a.png'],
  ['avatar_url', 'https://127.0.0.1/a.png'],
  ['avatar_url', 'https://localhost/a.png'],
  ['avatar_url', `https://example.com/${'x'.repeat(2000)}`],
])('refuses %s %s', async (field, value) => {
  const answer = await put({ bot_id: randomUUID(), [field]: value });
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  expect(answer.body.details[0].path).toBe(field);
  expect(answer.body.message).not.toContain('pattern');
});

it('needs a bot of the workspace', async () => {
  const botId = await createBot(service.call);
  const { key } = await service.makeWorkspace();
  expect((await put({ bot_id: randomUUID(), theme_color: '#ffffff' })).status).toBe(404);
  for (const operation of [`GET ${path}?bot_id=${botId}`, `PUT ${path}`]) {
    const body = operation.startsWith('PUT') ? { body: { bot_id: botId } } : {};
    expect((await service.call(operation, { key, ...body })).status).toBe(404);
  }
});
