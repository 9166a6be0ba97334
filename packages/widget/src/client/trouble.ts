import type { Trouble } from './chat-state.ts';
import { isRefused } from './widget-api.ts';

/** What to show for an error, or undefined if the same request may succeed soon. */
export function toTrouble(error: unknown): Trouble | undefined {
  if (!isRefused(error)) return undefined;
  const { status, code, details, retryAfter } = error;
  if (status === 401 || status === 403 || code === 'BOT_INACTIVE') {
    return { kind: details[0]?.['expired_at'] ? 'expired' : 'blocked' };
  }
  if (isOutOfMoney(code) || details.some(({ limit }) => limit === 'visitor_usd_per_day')) {
    return { kind: 'resting' };
  }
  if (status === 429) return { kind: 'rate_limited', retryAt: Date.now() + (retryAfter || 60) * 1000 };
  return status < 500 ? { kind: 'failed' } : undefined;
}

/** What to show when a turn has failed with this code. */
export function troubleOfTurn(code: string | null): Trouble | null {
  return code ? { kind: isOutOfMoney(code) ? 'resting' : 'failed' } : null;
}

/** Nobody but the site's owner can change that, so visitors are told that the bot is resting. */
function isOutOfMoney(code: string | undefined): boolean {
  return code === 'INSUFFICIENT_BALANCE' || code === 'NO_MODEL_CONFIGURED';
}
