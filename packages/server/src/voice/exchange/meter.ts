import type { Database } from '../../database/database.ts';
import { formatUsd, parseUsd } from '../../money.ts';
import type { CallRecords, VoiceCallRow } from '../../voice-calls/records/service.ts';
import { type CallHoldDependencies, holdOf, quoteOfNext } from './call-hold.ts';
import { costOfUse, type SpeechUse, totalOf } from './cost-of-use.ts';

export interface MeterDependencies extends CallHoldDependencies {
  database: Database;
  callRecords: Pick<CallRecords, 'lock' | 'setCost'>;
}

/** Counts what a call costs while it lasts. */
export interface Meter {
  speak(characters: number): void;
  /** The call is over: time no longer counts. */
  stop(): void;
  /** Charges what was used since the last time, and sets money aside for what comes; false if there is too little for that. */
  settle(): Promise<boolean>;
}

export function createMeter(
  { database, callRecords, billing, creditOf, prices, nodeId }: MeterDependencies,
  call: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'transport' | 'direction'>,
  speech: SpeechUse,
): Meter {
  const { id, workspaceId } = call;
  const since = performance.now();
  let until: number | undefined;
  let characters = 0;
  let recorded = 0n;
  return {
    speak(count) {
      characters += count;
    },
    stop() {
      until ??= performance.now();
    },
    async settle() {
      const creditUsd = await creditOf(workspaceId);
      const used = { milliseconds: (until ?? performance.now()) - since, characters };
      const costs = costOfUse(prices, call, speech, used);
      const total = totalOf(costs);
      if (creditUsd === null && total === recorded) return true;
      const isCovered = await database.transaction(async (tx) => {
        const row = await callRecords.lock(tx, call);
        if (!row || row.endedAt) return true;
        // Not by what this process remembers: two of these may overlap, and the answer to a commit may be lost.
        const more = total - parseUsd(row.costUsd);
        const spent = more > 0n ? more : 0n;
        const costUsd = formatUsd(total);
        if (spent > 0n) await callRecords.setCost(tx, call, { used: inUsd(costs), costUsd });
        if (creditUsd === null) return true;
        const quote = quoteOfNext(prices, call, speech, used);
        return billing.renewHold(tx, workspaceId, creditUsd, holdOf(id, nodeId), { spent, quote });
      });
      recorded = total;
      return isCovered;
    },
  };
}

function inUsd(costs: Record<string, bigint>): Record<string, string> {
  return Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, formatUsd(cost)]));
}
