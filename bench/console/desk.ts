import type { BrowserContext, Page } from 'playwright-core';
import { buildConsole } from '../../packages/console/build.ts';
import { openDatabase } from '../../packages/server/src/database/database.ts';
import { startBrowser } from '../../packages/server/test/support/browser.ts';
import { type Member, makeMember } from '../../packages/server/test/support/members.ts';
import { type Service, startModel, toContender } from '../chat/stage.ts';
import { createCleanUp } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';

export interface Desk {
  service: Service;
  owner: Member;
  /** Nothing is cached, and the owner is signed in. */
  openBrowser(): Promise<{ context: BrowserContext; page: Page }>;
}

/** The service with its console, and an owner at a browser: started for one measurement, and ended after it. */
export async function atDesk<Outcome>(work: (desk: Desk) => Promise<Outcome>): Promise<Outcome> {
  const cleanUp = createCleanUp();
  try {
    await buildConsole();
    const model = await startModel(cleanUp);
    const started = await startService(cleanUp, { OPENAI_BASE_URL: `${model.url}/v1` });
    const service = await toContender(cleanUp, started);
    const database = openDatabase({ connection: service.connection, onConnectionError: () => undefined });
    await cleanUp.add(() => database.close());
    const owner = await makeMember({ url: service.url, database }, { role: 'owner' });
    const browser = await startBrowser();
    await cleanUp.add(() => browser.close());
    const [name = '', value = ''] = owner.cookie.split(/=(.*)/s);
    return await work({
      service,
      owner,
      async openBrowser() {
        const { context, open } = await browser.openFor({ viewport: { width: 1280, height: 800 } });
        await context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Lax' }]);
        const { page } = await open();
        await page.addInitScript(recordTasks);
        return { context, page };
      },
    });
  } finally {
    await cleanUp.run();
  }
}

declare global {
  interface Window {
    longTasks: number[];
  }
}

function recordTasks(): void {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
}

/** When the page first showed something, in milliseconds since it was requested. */
export function firstPaintOf(page: Page): Promise<number> {
  return page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
}

/** The longest time for which the page could not react, since the last time this was asked. Less than 50 ms count as none. */
export function longestTaskOf(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, ...window.longTasks.splice(0)));
}
