import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, startBrowser } from './support/browser.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let service: TestApp;
let browser: Browser;
beforeAll(async () => {
  service = await startTestApp();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service.stop();
});

describe('the reference at /docs', () => {
  it('shows every operation, without a complaint and without leaving this machine', async () => {
    const { page, complaints, requested } = await browser.open();
    const answer = await page.goto(`${service.url}/docs`);
    expect(answer?.status()).toBe(200);
    await page.getByText('Create a bot', { exact: true }).waitFor({ state: 'visible' });
    await page.getByText('Create a bot', { exact: true }).click();
    await page.getByRole('button', { name: 'Execute' }).waitFor({ state: 'visible' });
    await page.waitForLoadState('networkidle');

    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
    const operations = Object.values(document.paths).flatMap((path: object) => Object.keys(path));
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    expect(complaints).toEqual([]);
    expect(requested).toContain(`${service.url}/openapi.json`);
    expect(requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([]);
    await page.close();
  });

  it('sends what a visitor types with the key they gave, by whatever name they came', async () => {
    const { page, complaints } = await browser.open();
    await page.goto(`http://localhost:${new URL(service.url).port}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByLabel('auth-bearer-value').fill(service.key);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Create a bot', { exact: true }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table .response').waitFor({ state: 'visible' });
    expect(await page.locator('.live-responses-table .response-col_status').last().innerText()).toMatch(
      /^201/,
    );
    expect(complaints).toEqual([]);
    await page.close();
  });
});
