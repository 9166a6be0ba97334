import type { AccountKey } from '@svc/contract/keys';
import { serverNow } from '../../../format/server-time.ts';

export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState(
  { revoked_at: revoked, expires_at: expires }: Pick<AccountKey, 'revoked_at' | 'expires_at'>,
  now = serverNow(),
): KeyState {
  if (revoked) return 'revoked';
  return expires && Date.parse(expires) <= now ? 'expired' : 'active';
}
