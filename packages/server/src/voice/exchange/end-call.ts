import type { CallEndReason } from '@svc/contract/calls';
import type { BillingService } from '../../billing/billing.service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { NoteChange } from '../../events/workspace-changes.ts';
import type { Clock } from '../../lib/clock.ts';
import { clip } from '../../validation/clip.ts';
import { storable } from '../../validation/storable.ts';
import type { CallRecords, VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { statusOf } from './call-end-reason.ts';
import { usageOfCall } from './usage-of-call.ts';

export interface EndCallDependencies {
  database: Database;
  callRecords: Pick<CallRecords, 'lock' | 'end'>;
  billing: Pick<BillingService, 'count' | 'releaseHold'>;
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
  at?: Date,
) => Promise<boolean>;

const maxDetail = 500;

/** Networks write it, and what they write can be anything. */
export function toDetail(detail: string | undefined): string | null {
  return detail === undefined ? null : clip(storable(detail), maxDetail);
}

export function createEndCall(dependencies: EndCallDependencies): EndCall {
  const { database, callRecords, billing, plan, noteChange, clock } = dependencies;
  return async ({ id, workspaceId }, reason, detail, at = clock.now()) => {
    const isEnded = await database.within(workspaceId).transaction(async (tx) => {
      const row = await callRecords.lock(tx, { id, workspaceId });
      // Even if the call was deleted with its conversation.
      await billing.releaseHold(tx, workspaceId, id);
      if (!row || row.endedAt) return false;
      await callRecords.end(tx, row, {
        status: statusOf(reason),
        reason,
        detail: toDetail(detail),
        at,
      });
      await billing.count(tx, workspaceId, usageOfCall(id, row.used));
      await plan(tx, row);
      return true;
    });
    if (isEnded) noteChange(workspaceId, 'conversation', id);
    return isEnded;
  };
}
