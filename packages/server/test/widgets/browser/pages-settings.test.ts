import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WidgetApi } from '../../../../widget/src/protocol.ts';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createWidget } from '../use-widget.ts';
import { type Site, type SitePage, snippet, startSite, widgetOn } from './start-site.ts';

declare const svc: WidgetApi;

let service: TestApp;
let site: Site;
let browser: Browser;
let key: string;
beforeAll(async () => {
  [service, site, browser] = await Promise.all([startTestApp(), startSite(), startBrowser()]);
  key = (await createWidget(service, { key: { allowed_domains: ['*.shop.localhost'] } })).api_key;
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

async function openWith(
  name: string,
  { attributes = '', ...page }: SitePage & { attributes?: string } = {},
  data = '',
) {
  const watched = await browser.open();
  const shown = {
    ...page,
    ...(attributes && { attributes }),
    head: `${page.head ?? ''}${snippet(service.url, key, data)}`,
  };
  await watched.page.goto(site.put(`/${name}`, shown, `${name}.shop.localhost`));
  const parts = widgetOn(watched.page);
  await parts.launcher.waitFor();
  return { ...watched, ...parts };
}

describe('window.svc', () => {
  it('opens, sends, closes, and reports it', async () => {
    const { page, panel, launcher, complaints } = await openWith('api');
    const heard = await page.evaluateHandle(() => {
      const events: unknown[] = [];
      for (const name of ['ready', 'open', 'close'] as const) svc.on(name, () => events.push(name));
      svc.on('message', (data) => events.push((data as { from: string }).from));
      svc.on('open', () => {
        throw new Error('the mistake of the page');
      });
      const off = svc.on('close', () => events.push('never'));
      off();
      svc.send('Hello from the page');
      return events;
    });
    await panel.getByText('Hello from the page').waitFor();
    await expect.poll(() => heard.jsonValue()).toEqual(['ready', 'open', 'visitor', 'bot']);
    expect(await launcher.getAttribute('aria-expanded')).toBe('true');
    await page.evaluate(() => svc.close());
    await panel.waitFor({ state: 'hidden' });
    expect(await heard.jsonValue()).toEqual(['ready', 'open', 'visitor', 'bot', 'close']);
    expect(complaints.filter((text) => !text.includes('ERR_ABORTED'))).toEqual([
      expect.stringContaining('the mistake of the page'),
    ]);
    await page.close();
  });

  it('leaves a global of the page alone, but not an element with that id', async () => {
    const taken = await openWith('taken', { head: '<script>var svc = { own: true };</script>' });
    expect(await taken.page.evaluate('svc.own')).toBe(true);
    expect(taken.complaints).toEqual([expect.stringContaining('window.svc is taken')]);
    await taken.launcher.click();
    await taken.panel.getByText('Shop help').waitFor();
    await taken.page.close();

    const named = await openWith('named', { body: '<p id="svc"></p>' });
    expect(await named.page.evaluate(() => typeof svc.open)).toBe('function');
    await named.page.close();
  });
});

it('speaks the language of the page and is written in its direction', async () => {
  const arabic = await openWith('arabic', { attributes: 'lang="ar" dir="rtl"' });
  expect(await arabic.launcher.getAttribute('aria-label')).not.toBe('Open chat');
  await arabic.launcher.click();
  await arabic.panel.waitFor();
  expect(await arabic.panel.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  await arabic.page.close();

  const german = await openWith(
    'german',
    {},
    'data-language="de-CH" data-dir="ltr" data-theme="dark" data-open',
  );
  await german.panel.waitFor();
  await german.launcher.click();
  await expect.poll(() => german.launcher.getAttribute('aria-label')).toBe('Chat öffnen');
  await german.page.close();
});

it('shows a changed look on an open page within a minute', async () => {
  const own = await createWidget(service, { key: { allowed_domains: ['*.shop.localhost'] } });
  const { page } = await browser.open();
  await page.clock.install();
  await page.goto(site.put('/live', { head: snippet(service.url, own.api_key) }, 'live.shop.localhost'));
  const { launcher, panel } = widgetOn(page);
  await launcher.click();
  await panel.getByText('Shop help').waitFor();
  await panel.getByText('Powered by').waitFor();
  const body = {
    bot_id: own.bot_id,
    theme_color: '#0a0',
    position: 'top-left',
    widget_title: 'New title',
    welcome_message: 'Good day!',
    placeholder_text: 'Ask us',
    show_branding: false,
  };
  expect((await service.call('PUT /api/v1/widgets/customization', { body })).status).toBe(200);
  await page.clock.runFor(50_000);
  await panel.getByRole('heading', { name: 'New title' }).waitFor();
  await panel.getByText('Good day!').waitFor();
  await panel.getByPlaceholder('Ask us').waitFor();
  expect(await panel.getByText('Powered by').count()).toBe(0);
  const look = await launcher.evaluate((element) => {
    const { left, top } = element.getBoundingClientRect();
    return { left, top, color: getComputedStyle(element).backgroundColor };
  });
  expect(look).toEqual({ left: 20, top: 20, color: 'rgb(0, 170, 0)' });
  await page.close();
});

it('works on a page that rewrites itself', async () => {
  const { page, launcher, panel } = await openWith('written');
  await page.evaluate(
    (text) => {
      document.open();
      document.write(text);
      document.close();
    },
    `<html><head>${snippet(service.url, key)}</head><body></body></html>`,
  );
  await launcher.waitFor();
  await page.evaluate(() => svc.open());
  await panel.getByText('Shop help').waitFor();
  await launcher.click();
  await panel.waitFor({ state: 'hidden' });
  await page.close();
});

it('comes back when a framework replaces the document, and gives up if the page insists', async () => {
  const { page, widget, launcher } = await openWith('removed');
  await page.evaluate(() => {
    document.body.replaceChildren();
    document.querySelector('svc-widget')?.remove();
  });
  await launcher.waitFor();
  await page.evaluate(() => document.documentElement.replaceWith(document.createElement('html')));
  await launcher.click();
  await widget.getByRole('dialog').waitFor();
  const left = await page.evaluate(async () => {
    for (let count = 0; count < 20; count += 1) {
      document.querySelector('svc-widget')?.remove();
      await new Promise((resolve) => setTimeout(resolve));
    }
    return document.querySelectorAll('svc-widget').length;
  });
  expect(left).toBe(0);
  await page.close();
});
