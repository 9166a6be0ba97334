import type { AccountKeyCreate } from '@svc/contract/keys';
import { AppError, invalid } from '../app-error.ts';
import type { Principal } from './principal.ts';

/** What a key is to be created with, as it is stored. */
export interface Grant {
  name: string;
  abilities: string[];
  expiresAt: Date | null;
}

type Granter = Pick<Principal, 'abilities' | 'hasAll' | 'expiresAt'>;

/**
 * Reads what is asked for. Throws FORBIDDEN when it is more than the key that asks has itself: an ability, `all` (which includes
 * those that are added later), or a longer life.
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
  if (wanted && Number.isNaN(wanted.getTime())) throw invalid('expires_at', 'must be a time that exists');
  // Its zone may lead beyond what the four digits of a year can say.
  if (wanted && wanted.getUTCFullYear() > 9999) throw invalid('expires_at', 'must lie before the year 10000');
  if (last && (!wanted || wanted > last)) {
    const latest = last.toISOString();
    throw new AppError('FORBIDDEN', {
      message: `This key expires at ${latest}: a key that it creates needs an expires_at no later than that.`,
      details: [{ path: 'expires_at', latest }],
    });
  }
  return wanted;
}
