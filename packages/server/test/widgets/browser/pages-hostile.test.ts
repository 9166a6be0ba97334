import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createWidget } from '../use-widget.ts';
import { type Site, type SitePage, snippet, startSite, widgetOn } from './start-site.ts';

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

const hostileStyles = `<style>
  * { all: unset !important; color: red !important; font: 40px serif !important; position: static !important; opacity: .3 !important;
      width: 10px !important; transform: rotate(3deg) !important; animation: none !important }
  html { transform: scale(.5); filter: blur(1px); overflow: hidden; font-size: 3px }
  svc-widget, svc-widget *, button, textarea, [popover] { display: none !important; visibility: hidden !important; pointer-events: none !important }
  svc-widget::backdrop { background: red !important }
  div { z-index: 2147483647 !important }
</style>`;

/** Each test has a host of its own, and so a storage of its own. */
const put = (name: string, page: SitePage) => site.put(`/${name}`, page, `${name}.shop.localhost`);

/** What the visitor sees of the widget. */
async function appearance(page: Page) {
  const { launcher, panel, composer } = widgetOn(page);
  await launcher.click();
  await panel.getByText('Shop help').waitFor();
  await expect.poll(() => panel.evaluate((element) => getComputedStyle(element).opacity)).toBe('1');
  const look = (element: Element) => {
    const { color, font, direction, visibility } = getComputedStyle(element);
    const { x, y, width, height } = element.getBoundingClientRect();
    return { color, font, direction, visibility, x, y, width, height };
  };
  return {
    launcher: await launcher.evaluate(look),
    panel: await panel.evaluate(look),
    composer: await composer.evaluate(look),
  };
}

async function ask(page: Page, question: string): Promise<void> {
  const { composer, panel } = widgetOn(page);
  await composer.fill(question);
  const answered = page.waitForResponse(/\/api\/widget\/messages/);
  await composer.press('Enter');
  expect((await answered).status()).toBe(200);
  await panel.getByText(question, { exact: true }).waitFor();
}

it('looks the same on a page with hostile styles', async () => {
  const { page, complaints } = await browser.open();
  await page.goto(put('styles', { head: snippet(service.url, key), body: '<h1>Shop</h1>' }));
  const expected = await appearance(page);
  await page.goto(
    put('styles', { head: hostileStyles + snippet(service.url, key), body: '<div>Shop</div>' }),
  );
  expect(await appearance(page)).toEqual(expected);
  expect(expected.launcher).toMatchObject({ width: 56, height: 56, x: 1280 - 76, y: 900 - 76 });
  expect(complaints).toEqual([]);
  await page.close();
});

describe('a strict content security policy', () => {
  const trustedTypes =
    "require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; object-src 'none'";

  it.each(['by origin', 'by nonce'])('%s', async (kind) => {
    const scripts = kind === 'by nonce' ? "'nonce-abc123' 'strict-dynamic'" : service.url;
    const policy = `default-src 'none'; script-src ${scripts}; connect-src ${service.url}; img-src ${service.url}; ${trustedTypes}`;
    const { page, complaints } = await browser.open();
    await page.goto(
      put(kind.replace(' ', '-'), {
        head: `<link rel="icon" href="${service.url}/favicon">${snippet(service.url, key, 'nonce="abc123"')}`,
        headers: { 'content-security-policy': policy },
      }),
    );
    await widgetOn(page).launcher.click();
    await ask(page, 'Is this **allowed**?');
    expect(complaints.filter((text) => !/favicon|ERR_ABORTED/.test(text))).toEqual([]);
    await page.close();
  });
});

it('shifts nothing, from the first byte to the open panel', async () => {
  const { page } = await browser.open();
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const text = '<p>Words that take some space on the page.</p>'.repeat(60);
  await page.goto(put('long', { head: snippet(service.url, key), body: text }));
  const size = () =>
    page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
  const before = await size();
  const { launcher, panel } = widgetOn(page);
  await launcher.click();
  await panel.getByText('Shop help').waitFor();
  await ask(page, 'Hello');
  const shifts = () =>
    page.evaluate(async () => {
      // The observer reports with the next frames.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return (window as unknown as { shifts: number[] }).shifts;
    });
  expect(await shifts()).toEqual([]);
  expect(await size()).toEqual(before);
  // A shift would have been noticed.
  await page.evaluate(() => document.body.prepend(document.createElement('textarea')));
  await expect.poll(shifts).toHaveLength(1);
  await page.close();
});

it('keeps what is typed from the shortcuts of the page, and leaves the page its own keys', async () => {
  const { page } = await browser.open();
  await page.goto(put('keys', { head: snippet(service.url, key), body: '<input aria-label="Search">' }));
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    for (const name of ['keydown', 'keypress', 'keyup', 'input', 'paste']) {
      document.addEventListener(name, (event) =>
        heard.push(event instanceof KeyboardEvent ? event.key : event.type),
      );
    }
  });
  const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard.splice(0));
  const { launcher, panel, composer } = widgetOn(page);
  await launcher.click();
  await composer.waitFor();
  await composer.pressSequentially('s?');
  await composer.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  expect(await heard()).toEqual([]);
  expect(await launcher.evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.getByLabel('Search').pressSequentially('s');
  expect(await heard()).toEqual(['s', 's', 'input', 's']);
  await page.close();
});
