import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { makePerson } from '../../support/end-users.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createWidget } from '../use-widget.ts';
import { type Site, snippet, startSite, widgetOn } from './start-site.ts';

/** Of the guide's example. */
declare function send(
  token: string,
  botId: string,
  message: string,
  show: (text: string) => void,
): Promise<void>;

let service: TestApp;
let site: Site;
let browser: Browser;
let key: string;
let botId: string;
beforeAll(async () => {
  site = await startSite();
  const environment = { SVC_CORS_ORIGINS: `http://${site.host('app.localhost')}` };
  [service, browser] = await Promise.all([startTestApp({ environment }), startBrowser()]);
  const created = await createWidget(service, {
    key: { allowed_domains: ['localhost', '*.shop.localhost'] },
  });
  key = created.api_key;
  botId = created.bot_id;
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

const withWidget = (attributes?: string) => ({
  head: snippet(service.url, key, attributes),
  body: '<h1>Shop</h1>',
});
const notAvailable = 'This chat is not available on this site.';

describe('where the widget works', () => {
  it.each(['localhost', 'www.shop.localhost', 'a.b.shop.localhost'])('on %s', async (host) => {
    const embed = await service.call(`GET /api/v1/widgets/embed-code?bot_id=${botId}`);
    // The tests' service has a port that its configuration does not know.
    const pasted: string = embed.body.embed_code.replace(service.config.publicUrl, service.url);
    const { page, complaints } = await browser.open();
    await page.goto(site.put('/', { body: `<h1>Shop</h1>${pasted}` }, host));
    const { launcher, panel } = widgetOn(page);
    await launcher.click();
    await panel.getByText('Shop help').waitFor();
    expect(await panel.getByText(notAvailable).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(['127.0.0.1', 'shop.localhost', 'evil-shop.localhost'])('not on %s, and says why', async (host) => {
    const { page, complaints } = await browser.open();
    await page.goto(site.put('/', withWidget(), host));
    const { launcher, panel } = widgetOn(page);
    await launcher.click();
    await panel.getByText(notAvailable).waitFor();
    const warnings = complaints.filter((text) => text.startsWith('svc widget:'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`Is ${site.host(host)} in allowed_domains`);
    await page.close();
  });

  it('not in a sandboxed frame, whose origin is null', async () => {
    const inner = site.put('/inner', withWidget());
    const { page } = await browser.open();
    await page.goto(
      site.put('/outer', {
        body: `<iframe sandbox="allow-scripts" src="${inner}" width="800" height="700"></iframe>`,
      }),
    );
    const widget = page.frameLocator('iframe').locator('svc-widget');
    await widget.locator('.launcher').click();
    await widget.getByRole('dialog').getByText(notAvailable).waitFor();
    await page.close();
  });

  it('on the preview page of the service, with a test key that works nowhere else', async () => {
    const test = await service.call(`POST /api/v1/widgets/test-key?bot_id=${botId}`);
    const { page, complaints } = await browser.open();
    await page.goto(`${service.url}/widget/preview?key=${test.body.api_key}`);
    const { panel, composer } = widgetOn(page);
    await panel.getByText('Shop help').waitFor();
    await composer.fill('Hello');
    await composer.press('Enter');
    await panel.getByText('Hello', { exact: true }).waitFor();
    expect(complaints).toEqual([]);

    await page.goto(site.put('/', { head: snippet(service.url, test.body.api_key) }));
    await widgetOn(page).launcher.click();
    await widgetOn(page).panel.getByText(notAvailable).waitFor();
    await page.close();
  });
});

describe('a service that cannot be reached', () => {
  it('is shown as an outage, and as available when it is back', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    await page.route('**/api/widget/**', (route) => route.abort());
    await page.route('**/widget.js', (route) =>
      route.request().method() === 'HEAD' ? route.abort() : route.continue(),
    );
    await page.goto(site.put('/', withWidget()));
    const { launcher, panel } = widgetOn(page);
    await launcher.click();
    await panel.getByText('The chat cannot be reached right now.').waitFor();
    await page.unrouteAll();
    await page.clock.runFor(50_000);
    await panel.getByText('Shop help').waitFor();
    await page.close();
  });

  it('is not taken for one that refuses the page while it starts', async () => {
    const { page } = await browser.open();
    const starting = (route: Route) => route.fulfill({ status: 503, body: '{}' });
    await page.route('**/api/widget/**', starting);
    await page.route('**/widget.js', (route) =>
      route.request().method() === 'HEAD' ? starting(route) : route.continue(),
    );
    await page.goto(site.put('/starting', withWidget()));
    const { launcher, panel } = widgetOn(page);
    await launcher.click();
    await panel.getByText('The chat cannot be reached right now.').waitFor();
    await page.close();
  });

  it('is not taken for one that refuses the page because one request was lost', async () => {
    const { page, complaints } = await browser.open();
    await page.route('**/api/widget/look**', (route) => route.abort(), { times: 1 });
    await page.goto(site.put('/', withWidget()));
    const { launcher, panel } = widgetOn(page);
    await launcher.click();
    await panel.getByText('Shop help').waitFor();
    expect(complaints.filter((text) => text.startsWith('svc widget:'))).toEqual([]);
    await page.close();
  });

  it('can come back before the panel was loaded', async () => {
    const { page } = await browser.open();
    await page.route('**/widget/panel-*', (route) => route.abort());
    await page.goto(site.put('/', withWidget()));
    const { launcher, panel } = widgetOn(page);
    const failed = page.waitForEvent('requestfailed');
    await launcher.click();
    await failed;
    await page.unroute('**/widget/panel-*');
    await panel.getByText('Shop help').waitFor();
    await page.close();
  });
});

describe('a page view', () => {
  it('loads the loader, the look and the panel, and creates nothing', async () => {
    const { page, complaints, requested } = await browser.open();
    await page.goto(site.put('/view', withWidget()));
    await page.waitForResponse(/\/widget\/panel-/);
    await widgetOn(page).launcher.waitFor();
    const paths = requested.map((url) => new URL(url).pathname).filter((path) => path !== '/favicon.ico');
    expect(paths.map((path) => path.replace(/-\w{8}/, '')).toSorted()).toEqual(
      ['/view', '/widget.js', '/api/widget/look', '/widget/panel.js'].toSorted(),
    );
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('adds only window.svc and one element beside the body', async () => {
    const names = async (head: string) => {
      const { page } = await browser.open();
      await page.goto(site.put('/names', { head }));
      if (head) await widgetOn(page).launcher.waitFor();
      const found = await page.evaluate(() => ({
        globals: Object.getOwnPropertyNames(window),
        elements: [...document.querySelectorAll('*')].map((element) => element.localName),
      }));
      await page.close();
      return found;
    };
    const before = await names('');
    const after = await names(snippet(service.url, key));
    expect(after.globals.filter((name) => !before.globals.includes(name))).toEqual(['svc']);
    expect(after.elements.filter((name) => !before.elements.includes(name))).toEqual([
      'script',
      'svc-widget',
    ]);
  });

  it('with two snippets has one widget and one warning', async () => {
    const { page, complaints } = await browser.open();
    const twice = snippet(service.url, key) + snippet(service.url, key);
    await page.goto(site.put('/twice', { head: twice }), { waitUntil: 'load' });
    await widgetOn(page).launcher.waitFor();
    expect(await widgetOn(page).widget.count()).toBe(1);
    expect(complaints.filter((text) => text.startsWith('svc widget:'))).toHaveLength(1);
    await page.close();
  });
});

describe('a page without the widget', () => {
  /** What the guide's example shows one after another, on a page of this host. */
  async function runExample(host: string): Promise<string[]> {
    const guide = await readFile(join(import.meta.dirname, '../../../../../docs/widgets.md'), 'utf8');
    const example = /async function send\([\s\S]*?\n}\n/.exec(guide)?.[0] ?? '';
    const script = example.replaceAll('https://agents.example.com', service.url);
    const { token } = await makePerson(service, { bot_id: botId });
    const { page } = await browser.open();
    await page.goto(site.put('/app', { head: `<script>${script}</script>` }, host));
    try {
      return await page.evaluate(
        async ([given, bot]) => {
          const texts: string[] = [];
          await send(given, bot, 'Hello', (text) => texts.push(text));
          return texts;
        },
        [token, botId] as const,
      );
    } finally {
      await page.close();
    }
  }

  it('shows a streamed reply with an end-user token, if its origin is listed', async () => {
    const shown = await runExample('app.localhost');
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.at(-1)).toContain(shown[0]);
    await expect(runExample('other.localhost')).rejects.toThrow('Failed to fetch');
  });
});
