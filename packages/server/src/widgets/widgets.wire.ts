import type { WidgetKey } from '@svc/contract/widgets';
import { formatUsd, parseUsd } from '../lib/money.ts';
import { works } from './door.ts';
import type { WidgetKeyRow } from './widgets.store.ts';

export function toWire(row: WidgetKeyRow, now: Date): WidgetKey {
  return {
    id: row.id,
    bot_id: row.botId,
    api_key: row.apiKey,
    name: row.name,
    allowed_domains: row.allowedDomains,
    rate_limit_per_hour: row.rateLimitPerHour,
    visitor_messages_per_hour: row.visitorMessagesPerHour,
    visitor_usd_per_day: shortUsd(row.visitorUsdPerDay),
    verifies_identity: row.identitySecret !== null,
    is_active: works(row, now),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    last_used_host: row.lastUsedHost,
  };
}

/** PostgreSQL prints every decimal of an amount. */
export function shortUsd(amount: string | null): string | null {
  return amount === null ? null : formatUsd(parseUsd(amount));
}
