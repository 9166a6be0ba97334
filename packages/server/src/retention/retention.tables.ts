import type { RetentionKind } from '@svc/contract/retention';
import { integer, json, pgTable, timestamp, uuid } from '../database/drizzle.ts';

export type DeletedCounts = Record<RetentionKind, number>;

/** A round in progress. All of its batches have the same limits of age. */
export interface StoredRound {
  started_at: string;
  /** What is being deleted. */
  kind: RetentionKind;
  /** The last row that was looked at: its age and its key, as PostgreSQL prints them; null at the beginning of a kind. */
  cursor: string[] | null;
  deleted: DeletedCounts;
}

export interface EndedRound {
  started_at: string;
  ended_at: string;
  deleted: DeletedCounts;
}

export const retentionSettings = pgTable('retention_settings', {
  workspaceId: uuid('workspace_id').primaryKey(),
  conversationsDays: integer('conversations_days'),
  tracesDays: integer('traces_days'),
  eventsDays: integer('events_days'),
  recordingsDays: integer('recordings_days'),
  auditDays: integer('audit_days'),
  dueAt: timestamp('due_at', { withTimezone: true }).notNull(),
  round: json().$type<StoredRound>(),
  lastRound: json('last_round').$type<EndedRound>(),
});
