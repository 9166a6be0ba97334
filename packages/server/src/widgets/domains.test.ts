import { describe, expect, it } from 'vitest';
import { isAllowed, readDomains, readOrigin } from './domains.ts';

describe('allowed domains', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['SHOP.Example.com', 'shop.example.com'],
    ['shop.example.com.', 'shop.example.com'],
    ['localhost', 'localhost'],
    ['localhost:5173', 'localhost:5173'],
    ['shop.example.com:80', 'shop.example.com:80'],
    ['shop.example.com:0443', 'shop.example.com:443'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.bücher.example', '*.xn--bcher-kva.example'],
    ['*.example.com', '*.example.com'],
    ['*.example.com:8080', '*.example.com:8080'],
    ['*.localhost', '*.localhost'],
    ['127.0.0.1:3000', '127.0.0.1:3000'],
    ['[::1]:3000', '[::1]:3000'],
    ['[0:0:0:0:0:0:0:1]', '[::1]'],
    ['https://shop.example.com', 'shop.example.com'],
    ['https://shop/', 'shop'],
    ['http://localhost:5173/', 'localhost:5173'],
  ])('takes %s', (entry, stored) => {
    expect(readDomains([entry])).toEqual([stored]);
  });

  it.each([
    'https://shop.example.com/path',
    'ftp://shop.example.com',
    'https://',
    'shop.example.com//',
    'shop.example.com/path',
    'shop.example.com?x',
    'shop.example.com#x',
    'user@shop.example.com',
    '*',
    '*.',
    '*.com',
    '*.127.0.0.1',
    '*.[::1]',
    'shop.*.com',
    '*shop.example.com',
    '*.*.example.com',
    'shop example.com',
    ' shop.example.com',
    'shop.example.com:',
    'shop.example.com:99999',
    'shop.example.com:x',
    ':80',
    'shop..example.com',
    '.example.com',
    '-shop.example.com',
    "shop'.example.com",
    'shop.example.com,www.example.com',
    'shop%2eexample.com',
  ])('refuses %s, and names its place', (entry) => {
    expect(() => readDomains(['example.com', entry])).toThrow('allowed_domains.1');
  });

  it('are stored once', () => {
    expect(readDomains(['a.example', 'A.example', 'b.example'])).toEqual(['a.example', 'b.example']);
  });
});

describe('a page', () => {
  const uses = (origin: string, ...entries: string[]) => {
    const page = readOrigin(origin);
    return page !== undefined && isAllowed(readDomains(entries), page);
  };

  it.each([
    ['https://shop.example.com', 'shop.example.com'],
    ['http://shop.example.com', 'shop.example.com'],
    ['https://shop.example.com:8443', 'shop.example.com'],
    ['https://shop.example.com', 'shop.example.com:443'],
    ['http://shop.example.com', 'shop.example.com:80'],
    ['http://localhost:5173', 'localhost:5173'],
    ['https://a.example.com', '*.example.com'],
    ['https://a.b.example.com:9000', '*.example.com'],
    ['http://[::1]:3000', '[::1]:3000'],
    ['http://[::1]', '[::1]'],
    ['https://xn--bcher-kva.example', 'bücher.example'],
  ])('%s may use a key for %s', (origin, entry) => {
    expect(uses(origin, 'other.example', entry)).toBe(true);
  });

  it.each([
    ['https://example.com', '*.example.com'],
    ['https://evilexample.com', '*.example.com'],
    ['https://evilexample.com', 'example.com'],
    ['https://example.com.evil.test', 'example.com'],
    ['https://example.com.', 'example.com'],
    ['https://www.example.com', 'example.com'],
    ['http://localhost:5174', 'localhost:5173'],
    ['http://shop.example.com', 'shop.example.com:443'],
    ['https://a.example.com', '*.example.com:8080'],
    ['http://[::2]:3000', '[::1]:3000'],
    ['null', 'null'],
    ['file://', 'example.com'],
    ['chrome-extension://example.com', 'example.com'],
    ['https://example.com/', 'example.com'],
    ['https://user@example.com', 'example.com'],
    ['https://EXAMPLE.com', 'example.com'],
    ['example.com', 'example.com'],
    ['', 'example.com'],
    [`https://${'a.'.repeat(200)}example.com`, '*.example.com'],
  ])('%s may not use a key for %s', (origin, entry) => {
    expect(uses(origin, entry)).toBe(false);
  });
});
