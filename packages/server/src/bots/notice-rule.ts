import { isDeepStrictEqual } from 'node:util';
import type { BotSettings } from '@svc/contract/bots';
import type { Principal } from '../keys/keys.service.ts';
import { AppError } from '../lib/app-error.ts';

/** The author of a change. */
export type Author = Pick<Principal, 'keyId' | 'abilities' | 'confirm'>;

/**
 * Whether the notice is another one. Throws FORBIDDEN unless the notice stays the same or its author may answer approvals. A notice contains a link that lets
 * anybody answer: a key that chooses the recipient could approve calls without the right to.
 */
export function checkNotice(before: BotSettings, after: BotSettings, { abilities }: Author): boolean {
  if (isDeepStrictEqual(before.approval_notice, after.approval_notice)) return false;
  const ability = 'approvals:write';
  if (abilities.has(ability)) return true;
  throw new AppError('FORBIDDEN', {
    message: `To change approval_notice the key also needs the ability ${ability}.`,
    details: [{ path: 'approval_notice', ability }],
  });
}
