import type { AccountKeyCreate } from '@svc/contract/keys';
import { AppError, invalid } from '../lib/app-error.ts';
import type { Principal } from './principal.ts';

/** The fields of a new key, as they are stored. */
export interface Grant {
  name: string;
  abilities: string[];
  expiresAt: Date | null;
}

type Granter = Pick<Principal, 'abilities' | 'hasAll' | 'expiresAt'>;

/**
 * Reads a request for a new key. Throws FORBIDDEN when it exceeds what the requesting key has: an ability, `all` (which
 * includes abilities that are added later), or a later expiry.
 */
export function readGrant(granter: Granter, body: AccountKeyCreate): Grant {
  const wanted = new Set(body.abilities === 'all' ? ['all' as const] : body.abilities);
  const abilities = wanted.has('all') ? (['all'] as const) : [...wanted];
  const missing = abilities.filter((ability) =>
    ability === 'all' ? !granter.hasAll : !granter.abilities.has(ability),
  );
  if (missing.length > 0) {
    throw new AppError('FORBIDDEN', {
      message: `This key cannot grant what it does not have: ${missing.join(', ')}.`,
      details: missing.map((ability) => ({ path: 'abilities', ability })),
    });
  }
  return { name: body.name, abilities: [...abilities], expiresAt: readExpiry(granter, body.expires_at) };
}

function readExpiry({ expiresAt: last }: Granter, text: string | null | undefined): Date | null {
  const wanted = text ? new Date(text) : null;
  if (wanted && Number.isNaN(wanted.getTime()))
    throw invalid('expires_at', 'must be an existing date and time');
  // Its time zone may move it past the last four-digit year.
  if (wanted && wanted.getUTCFullYear() > 9999) throw invalid('expires_at', 'must be before the year 10000');
  if (last && (!wanted || wanted > last)) {
    const latest = last.toISOString();
    throw new AppError('FORBIDDEN', {
      message: `This key expires at ${latest}: a key that it creates needs an expires_at no later than that.`,
      details: [{ path: 'expires_at', latest }],
    });
  }
  return wanted;
}
