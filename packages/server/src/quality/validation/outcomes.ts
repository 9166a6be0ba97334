import type { BillingService } from '../../billing/service.ts';
import type { Clock } from '../../clock.ts';
import type { ConversationService, TraceEntry } from '../../conversations/service.ts';
import type { TraceService } from '../../conversations/tracing/service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Usage } from '../../models/model.ts';
import { costOf } from '../../models/prices.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { formatUsd } from '../../money.ts';
import { newId } from '../../new-id.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';
import { type QualityRow, qualityStore } from '../store.ts';
import type { Verification } from './verdict.ts';

export interface OutcomeDependencies {
  database: Database;
  models: Pick<ModelRegistry, 'priceOf'>;
  conversations: Pick<ConversationService, 'lock'>;
  traces: Pick<TraceService, 'add'>;
  workspaces: Pick<WorkspaceService, 'get'>;
  billing: Pick<BillingService, 'charge'>;
  clock: Clock;
}

/** A model call that was made for a validation; it is paid for, whatever it led to. */
export interface Spent {
  modelId: string;
  usage: Usage | null;
}

export interface Found {
  verification: Verification;
  /** Fit to be stored; empty when the turn is not traced. */
  trace: TraceEntry[];
  /** The event that announced the answer. */
  sequence: number;
}

/** Writes down how validations ended, each with what it cost. */
export function createOutcomes(dependencies: OutcomeDependencies) {
  const { database, models, conversations, traces, workspaces, billing, clock } = dependencies;

  async function write<Result>(
    record: QualityRow,
    spent: Spent,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const { creditUsd } = await workspaces.get(record.workspaceId);
    return database.transaction(async (tx) => {
      // The conversation first, as truncation does: the other order could deadlock with it.
      await conversations.lock(tx, record.workspaceId, record.conversationId);
      const result = await work(tx);
      if (spent.usage) {
        const charge = chargeFor(record, spent.modelId, spent.usage);
        await billing.charge(tx, record.workspaceId, charge, creditUsd !== null);
      }
      return result;
    });
  }

  function chargeFor({ conversationId, turnId }: QualityRow, modelId: string, usage: Usage) {
    const price = models.priceOf(modelId);
    return {
      id: newId(),
      conversationId,
      turnId,
      model: modelId,
      inputTokens: usage.inputTokens,
      cachedInputTokens: usage.cachedInputTokens,
      outputTokens: usage.outputTokens,
      costUsd: formatUsd(price ? costOf(usage, price) : 0n),
    };
  }

  return {
    /** False when there was a verdict already, or the answer is gone: nothing is written twice. */
    found(record: QualityRow, { verification, trace, sequence }: Found, spent: Spent): Promise<boolean> {
      return write(record, spent, async (tx) => {
        const findings = { ...verification, validatedAt: clock.now() };
        const isSaved = await qualityStore.saveFindings(tx, record.workspaceId, record.id, findings);
        const place = { conversationId: record.conversationId, turnId: record.turnId, sequence };
        for (const entry of isSaved ? trace : []) await traces.add(tx, record, place, entry);
        return isSaved;
      });
    },

    failed(record: QualityRow, problem: string, spent: Spent): Promise<void> {
      return write(record, spent, (tx) =>
        qualityStore.markFailed(tx, record.workspaceId, record.id, problem),
      );
    },
  };
}
