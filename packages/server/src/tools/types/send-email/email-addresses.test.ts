import { expect, it } from 'vitest';
import { parseAddress, parseAddresses } from './email-addresses.ts';

it('reads plain addresses and named ones', () => {
  expect(parseAddress('a.b+c@example.com')).toEqual({ name: '', address: 'a.b+c@example.com' });
  expect(parseAddress(' Käthe Müller <k@example.com> ')).toEqual({
    name: 'Käthe Müller',
    address: 'k@example.com',
  });
  expect(parseAddress('<k@example.com>')).toEqual({ name: '', address: 'k@example.com' });
  expect(parseAddresses('a@example.com, B <b@example.com>')).toHaveLength(2);
});

it.each([
  '',
  'nobody',
  'a@',
  '@example.com',
  'a b@example.com',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com\nb@example.com',
  'Name\r\nBcc: x <a@example.com>',
  '"a@evil.com x"@example.com',
  'a@evil.com <b@example.com>',
  'a@example.com <b@example.com',
  '<a@example.com>, ',
  'a@example.com; b@example.com',
  'a@-example.com',
  'a(comment)@example.com',
  '@route:a@example.com',
  'a@[127.0.0.1]',
])('refuses %j', (text) => {
  expect(parseAddresses(text)).toBeUndefined();
});
