import { expect, it } from 'vitest';
import { isHashOf } from './identity.ts';

// As `openssl dgst -sha256 -hmac svc_is_secret` computes it.
const secret = 'svc_is_secret';
const hash = '8a15fcf573b8b3dba35c4d8a655d8305610aad893fe61bd2d97dcc9ddd233ef4';

it('accepts what the site has signed, in either case', () => {
  expect(isHashOf('customer-17', hash, secret)).toBe(true);
  expect(isHashOf('customer-17', hash.toUpperCase(), secret)).toBe(true);
});

it.each([
  ['another user', 'customer-18', hash, secret],
  ['another secret', 'customer-17', hash, 'svc_is_other'],
  ['a part of it', 'customer-17', hash.slice(0, 62), secret],
  ['nothing', 'customer-17', '', secret],
  ['no hex', 'customer-17', 'x'.repeat(64), secret],
])('rejects %s', (_, userId, userHash, key) => {
  expect(isHashOf(userId, userHash, key)).toBe(false);
});
