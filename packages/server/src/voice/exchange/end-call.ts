import type { CallEndReason } from '@svc/contract/calls';
import type { BillingService } from '../../billing/service.ts';
import type { Clock } from '../../clock.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { NoteChange } from '../../events/workspace-changes.ts';
import { newId } from '../../new-id.ts';
import { type VoiceCallRow, voiceCallStore } from '../../voice-calls/service.ts';
import { statusOf } from './end-reason.ts';

export interface EndCallDependencies {
  database: Database;
  billing: Pick<BillingService, 'count'>;
  /** Records what runs after the call, in the transaction that ends it. */
  plan(tx: Transaction, call: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>): Promise<void>;
  noteChange: NoteChange;
  clock: Clock;
}

/** Ends a call on its record, once: false if it was over already. */
export type EndCall = (
  call: Pick<VoiceCallRow, 'id' | 'workspaceId'>,
  reason: CallEndReason,
  detail?: string,
) => Promise<boolean>;

const maxDetail = 500;

export function createEndCall(dependencies: EndCallDependencies): EndCall {
  const { database, billing, plan, noteChange, clock } = dependencies;
  return async ({ id, workspaceId }, reason, detail) => {
    const isEnded = await database.transaction(async (tx) => {
      const row = await voiceCallStore.lock(tx, workspaceId, id);
      if (!row || row.endedAt) return false;
      await voiceCallStore.change(tx, workspaceId, id, {
        status: statusOf(reason),
        endReason: reason,
        endDetail: detail?.slice(0, maxDetail) ?? null,
        endedAt: clock.now(),
      });
      const used = Object.entries(row.used).map(([model, costUsd]) => ({
        id: newId(),
        conversationId: id,
        turnId: null,
        model,
        inputTokens: 0,
        cachedInputTokens: 0,
        outputTokens: 0,
        costUsd,
      }));
      await billing.count(tx, workspaceId, used);
      await plan(tx, row);
      return true;
    });
    if (isEnded) noteChange(workspaceId, 'conversation', id);
    return isEnded;
  };
}
