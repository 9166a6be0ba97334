import { createHmac, timingSafeEqual } from 'node:crypto';

/** The HMAC-SHA256 with which a site signs the id of its user. */
export function isHashOf(userId: string, userHash: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(userId).digest();
  const given = Buffer.from(userHash, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
