import { createHash, randomBytes } from 'node:crypto';
import { type AppError, invalid } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { type RequestLimits, tooManySignIns } from '../limits/request-limits.ts';
import type { LinkPurpose } from './members.tables.ts';

/** How long each kind of link works. */
const linkLifetimes: Record<LinkPurpose, number> = {
  setup: 24 * 60 * 60 * 1000,
  invitation: 7 * 24 * 60 * 60 * 1000,
  reset: 60 * 60 * 1000,
};

export function expiryOf(purpose: LinkPurpose, clock: Clock): Date {
  return new Date(clock.now().getTime() + linkLifetimes[purpose]);
}

export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The error for a link that does not work: after very many from one network, that there were too many. */
export async function badLink(
  limits: Pick<RequestLimits, 'countBadLink'>,
  purpose: LinkPurpose,
  address: string,
): Promise<AppError> {
  const rate = await limits.countBadLink(address, purpose);
  return rate.isOver ? tooManySignIns(rate) : usedLink();
}

/** The same for a link that never existed. */
export function usedLink(): AppError {
  return invalid('token', 'is of a link that was used already or has expired');
}
