import { expect, it } from 'vitest';
import { browserName } from './browser-name.ts';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Windows'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0 Safari/537.36 Edg/142.0`,
    'Edge on Windows',
  ],
  [`Mozilla/5.0 (Linux; Android 16) ${webkit} Chrome/142.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`Mozilla/5.0 (X11; CrOS x86_64 16000.0) ${webkit} Chrome/142.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0 Safari/537.36`, 'Chrome on Linux'],
  ['curl/8.5.0', undefined],
  ['', undefined],
  [`${'x'.repeat(600)} Firefox/1`, undefined],
])('calls %s %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});

it('calls a program without a name nothing', () => {
  expect(browserName(undefined)).toBeUndefined();
});
