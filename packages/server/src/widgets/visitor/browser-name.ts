const maxCharacters = 500;

/** The first that matches: most browsers name others too. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Such as `Firefox on Windows`; undefined for a program that is none of the usual browsers. Nothing of the header itself is kept. */
export function browserName(userAgent: string | undefined): string | undefined {
  const text = userAgent?.slice(0, maxCharacters) ?? '';
  const [, browser] = browsers.find(([pattern]) => pattern.test(text)) ?? [];
  const [, system] = systems.find(([pattern]) => pattern.test(text)) ?? [];
  return browser && system ? `${browser} on ${system}` : browser;
}
