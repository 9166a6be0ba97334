import type { ConversationService, TraceEntry } from '../../conversations/conversations.service.ts';
import type { TraceService } from '../../conversations/tracing/tracing.service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { type QualityRow, qualityStore } from '../quality.store.ts';
import type { Verification } from './reply-verdict.ts';

export interface OutcomeDependencies {
  database: Database;
  conversations: Pick<ConversationService, 'lock'>;
  traces: Pick<TraceService, 'add'>;
  clock: Clock;
}

export interface Found {
  verification: Verification;
  /** Masked and ready to be stored; empty when the turn is not traced. */
  trace: TraceEntry[];
  /** The event that announced the answer. */
  sequence: number;
}

/** Records how validations ended. */
export function createOutcomes(dependencies: OutcomeDependencies) {
  const { database, conversations, traces, clock } = dependencies;

  function write<Result>(record: QualityRow, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return database.within(record.workspaceId).transaction(async (tx) => {
      // Locks the conversation first, as truncation does; another order could deadlock with it.
      await conversations.lock(tx, record.workspaceId, record.conversationId);
      return work(tx);
    });
  }

  return {
    /** False when there already was a verdict or the answer is gone; nothing is written then. */
    found(record: QualityRow, { verification, trace, sequence }: Found): Promise<boolean> {
      return write(record, async (tx) => {
        const findings = { ...verification, validatedAt: clock.now() };
        const isSaved = await qualityStore.saveFindings(tx, record.workspaceId, record.id, findings);
        const place = { conversationId: record.conversationId, turnId: record.turnId, sequence };
        for (const entry of isSaved ? trace : []) await traces.add(tx, record, place, entry);
        return isSaved;
      });
    },

    failed(record: QualityRow, problem: string): Promise<void> {
      return write(record, (tx) => qualityStore.markFailed(tx, record.workspaceId, record.id, problem));
    },
  };
}
