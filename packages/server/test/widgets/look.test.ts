import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { translations } from '../../src/widgets/texts/texts-for.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createAsk, createBot } from './ask-page.ts';
import { createWidgetKey } from './use-widget.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ environment: { SVC_PUBLIC_URL: 'https://agents.example.com' } });
});
afterAll(() => service.stop());

const look = 'GET /api/widget/look';

async function makePage(bot: Record<string, unknown> = {}) {
  const botId = await createBot(service.call, bot);
  const key = await createWidgetKey(service, botId);
  const customize = (fields: Record<string, unknown>) =>
    service.call('PUT /api/v1/widgets/customization', { body: { bot_id: botId, ...fields } });
  return { botId, key, customize, ask: createAsk(service, key.api_key) };
}

describe('the look of a widget', () => {
  it('has the defaults and the name of its bot, and nothing else of it', async () => {
    const { ask } = await makePage({ name: 'Secret agent', chat_greeting: 'Hello, I am here.' });
    expect((await ask(look)).body).toEqual({
      theme_color: '#4f46e5',
      position: 'bottom-right',
      title: 'Secret agent',
      greeting_text: 'Hi! How can I help?',
      welcome_message: 'Hello, I am here.',
      placeholder_text: 'Type a message…',
      avatar_url: null,
      show_branding: true,
      voice: false,
      attachments: false,
      asks_details: false,
      closed_text: null,
      texts: {},
    });
  });

  it('shows a change immediately, and has another ETag then', async () => {
    const { ask, key, customize } = await makePage({ chat_greeting: 'Hello' });
    const first = await ask(look);
    expect(first.headers.get('cache-control')).toBe('max-age=60');
    const etag = first.headers.get('etag') ?? '';
    const same = await ask(look, { headers: { 'if-none-match': etag } });
    expect(same).toMatchObject({ status: 304, body: '' });
    expect(same.headers.get('access-control-allow-origin')).toBe('https://shop.example.com');
    await customize({
      theme_color: '#000',
      position: 'top-right',
      greeting_text: '',
      welcome_message: 'Welcome',
      widget_title: 'Shop',
      show_branding: false,
      avatar_url: 'https://example.com/a.png',
    });
    const changed = await ask(look, { headers: { 'if-none-match': etag } });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        theme_color: '#000000',
        position: 'top-right',
        title: 'Shop',
        greeting_text: '',
        welcome_message: 'Welcome',
        show_branding: false,
      },
    });
    const address = new URL(changed.body.avatar_url);
    expect(`${address.origin}${address.pathname}`).toBe('https://agents.example.com/api/widget/avatar');
    expect(address.searchParams.get('key')).toBe(key.api_key);
    await customize({ avatar_url: 'https://example.com/b.png' });
    expect((await ask(look)).body.avatar_url).not.toBe(changed.body.avatar_url);
  });

  it('has no welcome message where it is empty, whatever the bot greets with', async () => {
    const { ask, customize } = await makePage({ chat_greeting: 'Hello' });
    await customize({ welcome_message: '' });
    expect((await ask(look)).body.welcome_message).toBeNull();
  });

  it('follows its bot', async () => {
    const { ask, botId } = await makePage();
    await ask(look);
    const body = { name: 'Renamed', chat_greeting: 'Good morning' };
    await service.call(`PUT /api/v1/bots/${botId}`, { body });
    await expect
      .poll(async () => (await ask(look)).body)
      .toMatchObject({ title: 'Renamed', welcome_message: 'Good morning' });
  });
});

describe('the language of a page', () => {
  it('decides the texts that nobody has chosen', async () => {
    const { ask, customize } = await makePage();
    const read = async (language: string) => (await ask(look, { query: { language } })).body;
    const german = await read('de-CH');
    expect(german).toMatchObject({ placeholder_text: 'Nachricht schreiben …', texts: { send: 'Senden' } });
    expect((await read('iw')).texts).toEqual(translations['he']?.texts);
    expect((await read('PT_br')).texts).toEqual(translations['pt']?.texts);
    for (const language of ['en', 'en-GB', 'sw', '', 'constructor', '__proto__', 'x-klingon'])
      expect(await read(language), language).toMatchObject({
        placeholder_text: 'Type a message…',
        texts: {},
      });
    await customize({ placeholder_text: 'Ask us', greeting_text: '' });
    expect(await read('de')).toMatchObject({ placeholder_text: 'Ask us', greeting_text: '' });
  });
});
