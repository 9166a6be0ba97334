import type { WidgetKey } from '@svc/contract/widgets';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { scriptedEnvironment } from '../../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createWidgetKey } from '../use-widget.ts';
import { type Site, type SitePage, snippet, startSite, widgetOn } from './start-site.ts';

const hostPattern = '*.shop.localhost';

/** A visitor in front of the widget. */
export interface Visit {
  page: Page;
  /** What the log shows, one text per message. */
  lines(): Promise<string[]>;
  write(text: string): Promise<void>;
  button(name: string): ReturnType<Page['getByRole']>;
  /** Waits until the widget shows this text. */
  sees(text: string): Promise<void>;
  open(): Promise<void>;
}

export interface ChatStage {
  service: TestApp;
  model: HandPlayedModel;
  site: Site;
  /** A bot with a widget, and the key of its page. */
  createBot(bot?: object, key?: object): Promise<WidgetKey>;
  /** Opens the page of a shop whose storage no other test uses, and the panel on it. */
  visit(key: WidgetKey, options?: SitePage & { host?: string; attributes?: string }): Promise<Visit>;
  /** The id of the conversation that a bot has had last. */
  conversationOf(botId: string): Promise<string>;
  close(): Promise<void>;
}

/** The service, a bot whose replies the test writes, a website and a browser. */
export async function startChatStage(): Promise<ChatStage> {
  const model = await startHandPlayedModel();
  const [service, site, browser]: [TestApp, Site, Browser] = await Promise.all([
    startTestApp({ environment: scriptedEnvironment(model) }),
    startSite(),
    startBrowser(),
  ]);
  let hosts = 0;

  return {
    service,
    model,
    site,
    async createBot(bot = {}, key = {}) {
      const body = { name: 'Shop help', system_prompt: 'Be kind.', chat_greeting: 'Welcome!', ...bot };
      const created = await service.call('POST /api/v1/bots', { body });
      expect(created).toMatchObject({ status: 201 });
      return createWidgetKey(service, created.body.id, { allowed_domains: [hostPattern], ...key });
    },
    async visit(key, { host, ...sitePage } = {}) {
      hosts += 1;
      const name = host ?? `visit-${hosts}.shop.localhost`;
      const { page } = await browser.open();
      await page.goto(site.put(`/${name}`, { head: snippet(service.url, key.api_key), ...sitePage }, name));
      const visit = visitOn(page);
      await visit.open();
      return visit;
    },
    async conversationOf(botId) {
      const listed = await service.call(`GET /api/v1/conversations?bot_id=${botId}&channel=widget`);
      return listed.body[0].id;
    },
    async close() {
      await browser.close();
      await site.close();
      await service.stop();
      await model.close();
    },
  };
}

function visitOn(page: Page): Visit {
  const { launcher, panel, composer, widget } = widgetOn(page);
  return {
    page,
    lines: async () => {
      const texts = await widget.locator('.message:not([aria-hidden]) .bubble').allInnerTexts();
      return texts.map((text) => text.trim());
    },
    async write(text) {
      await composer.fill(text);
      await composer.press('Enter');
    },
    button: (name) => widget.getByRole('button', { name }),
    sees: (text) => panel.getByText(text, { exact: true }).first().waitFor(),
    async open() {
      await launcher.click();
      await composer.waitFor();
    },
  };
}
