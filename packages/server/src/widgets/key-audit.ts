import { recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import type { WidgetKeyRow } from './widgets.store.ts';
import { shortUsd } from './widgets.wire.ts';

export function recordKeyCreated(tx: Transaction, key: WidgetKeyRow): Promise<void> {
  return recordChange(tx, key.workspaceId, {
    action: 'widget_key.created',
    object: key,
    after: fieldsOf(key),
  });
}

export function recordKeyChanged(tx: Transaction, before: WidgetKeyRow, after: WidgetKeyRow): Promise<void> {
  const fields = { before: fieldsOf(before), after: fieldsOf(after) };
  return recordChange(tx, before.workspaceId, { action: 'widget_key.updated', object: after, ...fields });
}

export function recordKeyRevoked(tx: Transaction, key: WidgetKeyRow): Promise<void> {
  return recordChange(tx, key.workspaceId, { action: 'widget_key.revoked', object: key });
}

/** Only that the secret was set: its value is never recorded. */
export function recordIdentitySecret(tx: Transaction, key: WidgetKeyRow, isSet: boolean, reason?: string) {
  const before = key.identitySecret === null ? 'not set' : 'set';
  const after = isSet ? (before === 'set' ? 'replaced' : 'set') : 'not set';
  return recordChange(tx, key.workspaceId, {
    action: 'widget_key.updated',
    object: key,
    before: { identity_secret: before },
    after: { identity_secret: after },
    ...(reason !== undefined && { changes: [{ field: 'reason', before: null, after: reason }] }),
  });
}

function fieldsOf(key: WidgetKeyRow): object {
  return {
    bot_id: key.botId,
    name: key.name,
    allowed_domains: key.allowedDomains,
    rate_limit_per_hour: key.rateLimitPerHour,
    visitor_messages_per_hour: key.visitorMessagesPerHour,
    visitor_usd_per_day: shortUsd(key.visitorUsdPerDay),
  };
}
