import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { patienceMs } from './patience.ts';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const usualPlaces = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Google Chrome.app/Contents/MacOS',
];
const quiet = [
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
  /** Opens a new page that records errors and requests. */
  open(): Promise<WatchedPage>;
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

export interface WatchedPage {
  page: Page;
  /** Console errors, uncaught exceptions, violations of the content security policy, failed requests. */
  complaints: string[];
  /** The address of every request, oldest first. */
  requested: string[];
}

/** A real Chromium with a profile of its own. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  const profile = await mkdtemp(join(tmpdir(), 'svc-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: quiet,
    viewport: { width: 1280, height: 900 },
  });
  context.setDefaultTimeout(patienceMs);
  return {
    open: () => openWatched(context),
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openWatched(context: BrowserContext): Promise<WatchedPage> {
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
  page.on('requestfailed', (request) =>
    complaints.push(`${request.url()}: ${request.failure()?.errorText ?? 'failed'}`),
  );
  page.on('request', (request) => requested.push(request.url()));
  return { page, complaints, requested };
}

function findBrowser(): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...usualPlaces].filter(Boolean);
  const names = [...programs, 'Chromium', 'Google Chrome', 'chrome'];
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
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
