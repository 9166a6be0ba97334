import { pino } from 'pino';
import { createBillingService } from '../../src/billing/billing.service.ts';
import { createConversationErasure } from '../../src/conversations/erasure/conversation-erasure.service.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createRetentionService } from '../../src/retention/retention.service.ts';

/** What a node deletes with, apart from the service. */
export function retentionOn(database: Database, clock: Clock = systemClock) {
  const billing = createBillingService({ database, clock });
  const erasure = createConversationErasure({ database, billing });
  return createRetentionService({ database, clock, erasure, log: pino({ level: 'silent' }) });
}

/** A whole round of every workspace, now. */
export async function deleteExpired(
  { database }: { database: Database },
  clock: Clock = systemClock,
): Promise<void> {
  await database.acrossWorkspaces.execute(
    sql`update retention_settings set due_at = ${clock.now().toISOString()}::timestamptz`,
  );
  await retentionOn(database, clock).round();
}
