import type { Role } from '@svc/contract/roles';
import type { Page } from 'playwright-core';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { type Member, makeMember, type NewMember } from '../../support/members.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/test-app.ts';

export const devices = {
  /** The narrowest that pages must fit on, and what a wide screen has left at 400 % zoom. */
  narrow: { width: 320, height: 640 },
  phone: { width: 360, height: 740 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1280, height: 800 },
  wide: { width: 1920, height: 1080 },
};

export interface Desk extends Member {
  page: Page;
  /** Errors of the page: exceptions, violations of the content security policy, failed requests. */
  complaints: string[];
  /** Opens a page of the workspace: `go('/bots')`. */
  go(path: string): Promise<void>;
  /** The address below the workspace. */
  place(): string;
}

export interface DeskOptions extends Omit<NewMember, 'role'> {
  device?: keyof typeof devices;
  theme?: 'light' | 'dark';
}

export interface ConsoleStage extends TestApp {
  browser: Browser;
  /** A browser of its own, signed in as a new member. */
  signIn(role: Role, options?: DeskOptions): Promise<Desk>;
}

/** The service and a browser in which members use its console. */
export async function openConsole(options: TestAppOptions = {}): Promise<ConsoleStage> {
  const [app, browser] = await Promise.all([startTestApp(options), startBrowser()]);
  return {
    ...app,
    browser,
    async signIn(role, { device = 'desktop', theme = 'light', ...given } = {}) {
      const member = await makeMember(app, { role, ...given });
      const { context, open } = await browser.openFor({
        viewport: devices[device],
        colorScheme: theme,
        // Animations take time, and those without an end keep the processor busy.
        reducedMotion: 'reduce',
        mayAbort: true,
      });
      const [name = '', value = ''] = member.cookie.split(/=(.*)/s);
      await context.addCookies([{ name, value, url: app.url, httpOnly: true, sameSite: 'Lax' }]);
      const { page, complaints } = await open();
      // Missing in browsers that open the console without TLS, unless it is on localhost.
      await page.addInitScript('delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard;');
      const home = `/w/${member.workspaceId}`;
      return {
        ...member,
        page,
        complaints,
        async go(path) {
          await page.goto(app.url + home + path);
          await page.locator('h1').first().waitFor();
        },
        place: () => page.url().replace(app.url + home, ''),
      };
    },
    async stop() {
      await browser.close();
      await app.stop();
    },
  };
}
