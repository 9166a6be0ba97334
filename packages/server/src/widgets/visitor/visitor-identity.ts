import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a site's signature of a user's id says. */
export interface SignedId {
  /** Null if the signature does not expire. */
  expiresAt: Date | null;
}

/**
 * Reads the `user_hash` with which a site signs the id of its user: the HMAC-SHA256 of the id in hex or, with an expiry, `<seconds since
 * 1970>.<HMAC of "<HMAC of the id>.<seconds>">`. It is the first HMAC that is signed again and not the id, because an id may be chosen by
 * the user, and one such as `ann.1800000000` would get a hash that works as one of ann. Undefined if it is not that.
 */
export function readUserHash(userId: string, userHash: string, secret: string): SignedId | undefined {
  const plain = hmac(userId, secret);
  const [, seconds, expiring] = /^(\d{1,12})\.([0-9a-f]{64})$/i.exec(userHash) ?? [];
  if (seconds === undefined || expiring === undefined)
    return isSame(userHash, plain) ? { expiresAt: null } : undefined;
  if (!isSame(expiring, hmac(`${plain}.${seconds}`, secret))) return undefined;
  return { expiresAt: new Date(Number(seconds) * 1_000) };
}

function hmac(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given, 'hex'), Buffer.from(expected, 'hex')];
  return one.length === other.length && timingSafeEqual(one, other);
}
