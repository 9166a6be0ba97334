import { expect, it } from 'vitest';
import { readUserHash } from './visitor-identity.ts';

// As `openssl dgst -sha256 -hmac svc_is_secret` computes it.
const secret = 'svc_is_secret';
const hash = '8a15fcf573b8b3dba35c4d8a655d8305610aad893fe61bd2d97dcc9ddd233ef4';
// The same of `${hash}.1800000000`.
const expiring = '1800000000.212186d4e8500e674aa3c3aad9cf5679cc7c32c01ed4e967306cf1888ce2c0ef';

it('accepts what the site has signed, in either case', () => {
  expect(readUserHash('customer-17', hash, secret)).toEqual({ expiresAt: null });
  expect(readUserHash('customer-17', hash.toUpperCase(), secret)).toEqual({ expiresAt: null });
  const expiresAt = new Date('2027-01-15T08:00:00.000Z');
  expect(readUserHash('customer-17', expiring, secret)).toEqual({ expiresAt });
  expect(readUserHash('customer-17', expiring.toUpperCase(), secret)).toEqual({ expiresAt });
});

// As `printf customer-17.1800000000 | openssl dgst -sha256 -hmac svc_is_secret` computes it.
const hashOfChosenId = 'ec474fb041a02984fd51557727a8d25a4ea1869c2189635c35f9c1179d1d943f';

it.each([
  ['another user', 'customer-18', hash, secret],
  ['another secret', 'customer-17', hash, 'svc_is_other'],
  ['a part of it', 'customer-17', hash.slice(0, 62), secret],
  ['nothing', 'customer-17', '', secret],
  ['no hex', 'customer-17', 'x'.repeat(64), secret],
  ['another expiry', 'customer-17', expiring.replace('18', '19'), secret],
  ['an expiry that was added', 'customer-17', `1800000000.${hash}`, secret],
  ['an expiry that was removed', 'customer-17', expiring.slice(11), secret],
  ['an expiring hash of another user', 'customer-18', expiring, secret],
  [
    'the plain hash of an id that looks like one with an expiry',
    'customer-17',
    `1800000000.${hashOfChosenId}`,
    secret,
  ],
])('rejects %s', (_, userId, userHash, key) => {
  expect(readUserHash(userId, userHash, key)).toBeUndefined();
});
