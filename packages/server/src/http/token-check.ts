import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../lib/app-error.ts';
import { hashKey } from '../secrets/bearer-key.ts';
import type { KeyCheck } from './access.ts';

/** Checks a token from the configuration. Hashes have the same length, so how long it takes tells nothing about the token. */
export function createTokenCheck(token: string | undefined): KeyCheck<true> {
  const expected = token === undefined ? undefined : hashKey(token);
  const isGood = (given: string) => expected !== undefined && timingSafeEqual(hashKey(given), expected);
  return {
    async authenticate(given) {
      if (!isGood(given)) throw new AppError('UNAUTHORIZED');
      return true;
    },
    hasWorked: isGood,
  };
}
