import { isDeepStrictEqual } from 'node:util';
import type { BotSettings } from '@svc/contract/bots';
import { AppError } from '../app-error.ts';
import type { Principal } from '../keys/service.ts';

/** Who saves a bot. */
export type Author = Pick<Principal, 'keyId' | 'abilities'>;

/**
 * Throws FORBIDDEN unless the notice stays as it is or its author may answer approvals. A notice carries a link with which
 * anybody can answer: whoever could choose where it goes could approve what they have no right to.
 */
export function checkNotice(before: BotSettings, after: BotSettings, { abilities }: Author): void {
  if (isDeepStrictEqual(before.approval_notice, after.approval_notice)) return;
  const ability = 'approvals:write';
  if (abilities.has(ability)) return;
  throw new AppError('FORBIDDEN', {
    message: `To change approval_notice the key also needs the ability ${ability}.`,
    details: [{ path: 'approval_notice', ability }],
  });
}
