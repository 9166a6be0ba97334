import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type BrowserContext,
  type BrowserContextOptions,
  type Browser as Chromium,
  chromium,
  type Page,
} from 'playwright-core';
import { patienceMs } from './patience.ts';

/** The first has no windows, which saves four fifths of the processor time. */
const programs = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const usualPlaces = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Google Chrome.app/Contents/MacOS',
];
/** What every window would load for its address bar, which is not seen, and what playwright turns off: the last list counts. */
const features = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
];
const quiet = [
  `--disable-features=${features.join(',')}`,
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // A page that contacts another host fails with an error.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost',
];

export interface Browser {
  /** Opens a new page that records errors and requests. All of them share cookies and storage. */
  open(): Promise<WatchedPage>;
  /** Opens pages for somebody else, with cookies and storage of their own. */
  openFor(options: PersonOptions): Promise<{ context: BrowserContext; open(): Promise<WatchedPage> }>;
  /** Closes its pages and forgets their cookies and storage. */
  close(): Promise<void>;
}

export interface PersonOptions extends BrowserContextOptions {
  /** Requests that the page itself gives up, for example because it is left, are not errors. */
  mayAbort?: boolean;
}

export interface WatchedPage {
  page: Page;
  /** Console errors, uncaught exceptions, violations of the content security policy, failed requests. */
  complaints: string[];
  /** The address of every request, oldest first. */
  requested: string[];
}

/** Starting it takes a second of processor time, so the files of a worker share it. It ends with the worker. */
let shared: Promise<Chromium> | undefined;

/** A real Chromium, with cookies and storage of its own. With further arguments, a process of its own. */
export async function startBrowser(extra: readonly string[] = []): Promise<Browser> {
  const launch = () => chromium.launch({ executablePath: findBrowser(), args: [...quiet, ...extra] });
  const isShared = extra.length === 0;
  const browser = await (isShared ? (shared ??= launch()) : launch());
  const contexts: BrowserContext[] = [];
  const openFor: Browser['openFor'] = async ({ mayAbort = false, ...options }) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    contexts.push(context);
    context.setDefaultTimeout(patienceMs);
    return { context, open: () => openWatched(context, mayAbort) };
  };
  const { open } = await openFor({});
  return {
    open,
    openFor,
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      if (!isShared) await browser.close();
    },
  };
}

async function openWatched(context: BrowserContext, mayAbort: boolean): Promise<WatchedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  // Reported by the page itself, because not every violation reaches the console.
  await page.exposeFunction('tellViolation', (text: string) => void complaints.push(`policy: ${text}`));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    tellViolation(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample));`);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed';
    if (!mayAbort || reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${reason}`);
  });
  page.on('request', (request) => requested.push(request.url()));
  return { page, complaints, requested };
}

function findBrowser(): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...usualPlaces].filter(Boolean);
  const names = [...programs, 'Chromium', 'Google Chrome', 'chrome'];
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
  if (!found) throw new Error('There is no Chromium on this machine: run `npm test`, which installs it.');
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable.
    return false;
  }
}
