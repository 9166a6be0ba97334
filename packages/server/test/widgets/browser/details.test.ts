import { createHmac } from 'node:crypto';
import type { WidgetKey } from '@svc/contract/widgets';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WidgetApi } from '../../../../widget/src/protocol.ts';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createWidget } from '../use-widget.ts';
import { type Site, snippet, startSite, widgetOn } from './start-site.ts';

declare const svc: WidgetApi;

/** A Thursday, half an hour before the team comes. */
let now = new Date('2026-11-19T07:30:00.000Z');
const hours = {
  time_zone: 'Europe/Berlin',
  opening_times: [{ day: 'thursday', opens: '09:00', closes: '17:00' }],
  closed_text: 'We are here on Thursdays from 9 to 17.',
};

let service: TestApp;
let site: Site;
let browser: Browser;
const pages: Page[] = [];
beforeAll(async () => {
  [service, site, browser] = await Promise.all([
    startTestApp({ clock: { now: () => now } }),
    startSite(),
    startBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

async function makeKey(fields: object): Promise<WidgetKey> {
  const key = await createWidget(service, { key: { allowed_domains: ['*.shop.localhost'] } });
  const body = { bot_id: key.bot_id, ...fields };
  await service.call('PUT /api/v1/widgets/customization', { body });
  return key;
}

let sites = 0;
async function visit(key: WidgetKey, path = '/cart?token=secret#secret', name = `ask-${++sites}`) {
  const { page } = await browser.open();
  pages.push(page);
  const address = site.put(
    path.split('#')[0] ?? '',
    { head: snippet(service.url, key.api_key) },
    `${name}.shop.localhost`,
  );
  await page.goto(`${address}#${path.split('#')[1] ?? ''}`);
  const parts = widgetOn(page);
  await parts.launcher.click();
  const form = parts.widget.getByRole('form');
  return { page, form, name, ...parts, field: parts.widget.getByLabel('Your message') };
}

const personOf = async (key: WidgetKey) => {
  const listed = await service.call(`GET /api/v1/conversations?bot_id=${key.bot_id}`);
  const user = listed.body[0]?.external_user_id;
  return user && (await service.call(`GET /api/v1/end-users/${user}`)).body;
};

it('asks before the first message, and the team reads who and where the visitor is', async () => {
  const key = await makeKey({ ask_details: 'before_chat' });
  const { page, form, field, panel } = await visit(key);
  await form.getByLabel('Name').fill('Mia Meyer');
  await form.getByLabel('Email').fill('mia@example.com');
  expect(await field.count()).toBe(0);
  await form.getByRole('button', { name: 'Continue' }).click();
  await expect
    .poll(() => field.evaluate((one) => (one.getRootNode() as ShadowRoot).activeElement === one))
    .toBe(true);
  await field.fill('Where is my parcel?');
  await field.press('Enter');
  await panel.getByText('Where is my parcel?').waitFor();
  await expect
    .poll(() => personOf(key))
    .toMatchObject({
      name: 'Mia Meyer',
      email: 'mia@example.com',
      page_url: expect.stringMatching(/^http:\/\/ask-\d+\.shop\.localhost:\d+\/cart$/),
      page_title: 'Shop',
      browser: 'Chrome on Linux',
    });
  // Not again, neither here nor after the page is loaded again.
  await page.reload();
  await widgetOn(page).launcher.click();
  await field.waitFor();
  await panel.getByText('Where is my parcel?').waitFor();
  await panel.getByRole('button', { name: 'More options' }).click();
  await panel.getByRole('button', { name: 'New conversation' }).click();
  await field.waitFor();
  expect(await form.count()).toBe(0);
});

it('takes no for an answer', async () => {
  const key = await makeKey({ ask_details: 'before_chat' });
  const { page, form, field, panel } = await visit(key, '/');
  await form.getByRole('button', { name: 'Skip' }).click();
  await field.fill('Hello');
  await field.press('Enter');
  await panel.getByText('Hello', { exact: true }).waitFor();
  await expect.poll(() => personOf(key)).toMatchObject({ name: null, email: null, page_title: 'Shop' });
  await page.reload();
  await widgetOn(page).launcher.click();
  await field.waitFor();
  expect(await form.count()).toBe(0);
});

it('asks and says that nobody is there outside of office hours, and follows the clock of the service', async () => {
  now = new Date('2026-11-19T07:30:00.000Z');
  const key = await makeKey({ ask_details: 'outside_hours', office_hours: hours });
  const { page, form, field, panel } = await visit(key, '/');
  await panel.getByText(hours.closed_text).waitFor();
  await form.waitFor();
  now = new Date('2026-11-19T08:00:00.000Z');
  const text = panel.getByText(hours.closed_text);
  const open = await visit(key, '/');
  await open.field.waitFor();
  expect(await open.panel.getByText(hours.closed_text).count()).toBe(0);
  expect(await open.form.count()).toBe(0);
  // A page that was left open asks again after a while.
  await page.evaluate(() => {
    const time = performance.now.bind(performance);
    performance.now = () => time() + 60_000;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await text.waitFor({ state: 'detached' });
  await field.waitFor();
  expect(await form.count()).toBe(0);
});

it('asks a user of the site for their name, and keeps who the site says they are', async () => {
  const key = await makeKey({ ask_details: 'before_chat' });
  const made = await service.call(`POST /api/v1/widgets/keys/${key.id}/identity-secret`);
  const hash = createHmac('sha256', made.body.identity_secret).update('customer-17').digest('hex');
  const { page, form, field, panel } = await visit(key, '/');
  await page.evaluate((user_hash) => svc.identify({ user_id: 'customer-17', user_hash }), hash);
  await form.getByLabel('Name').fill('Mia');
  await form.getByLabel('Name').press('Enter');
  await field.fill('Hello');
  await field.press('Enter');
  await panel.getByText('Hello', { exact: true }).waitFor();
  await expect
    .poll(() => personOf(key))
    .toMatchObject({ external_user_id: 'customer-17', name: 'Mia', email: null });
});

it('lets visitors write where the form does not load', async () => {
  const key = await makeKey({ ask_details: 'before_chat' });
  const { page } = await browser.open();
  pages.push(page);
  await page.route('**/widget/form-*.js', (route) => route.abort());
  await page.goto(site.put('/', { head: snippet(service.url, key.api_key) }, 'blocked.shop.localhost'));
  const { launcher, composer } = widgetOn(page);
  await launcher.click();
  await composer.waitFor();
  await composer.fill('Hello');
  await composer.press('Enter');
  await expect.poll(() => personOf(key)).toMatchObject({ name: null, page_title: 'Shop' });
});
