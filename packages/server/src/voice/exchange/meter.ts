import type { NewUsage } from '../../billing/billing.service.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../lib/money.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { type CallHoldDependencies, holdOf, quoteOfNext } from './call-hold.ts';
import { costOfUse, type PricedCall, type SpeechUse, totalOf, usageOfCall } from './cost-of-use.ts';

export type Meter = ReturnType<typeof createMeter>;

/** Counts what a call costs while it lasts. */
export function createMeter(
  dependencies: CallHoldDependencies & Pick<Services, 'callRecords' | 'database'>,
  call: PricedCall & Pick<VoiceCallRow, 'id' | 'workspaceId'>,
  speech: SpeechUse,
) {
  const { database, callRecords, billing, creditOf, prices, nodeId } = dependencies;
  const { id, workspaceId } = call;
  const since = performance.now();
  let until: number | undefined;
  let characters = 0;
  let recorded = 0n;
  /** Of a call whose record was deleted, written once. */
  let last: NewUsage[] | undefined;
  return {
    speak(count: number): void {
      characters += count;
    },
    /** The call is over: time no longer counts. */
    stop(): void {
      until ??= performance.now();
    },
    /** Charges what was used since the last time, and sets money aside for what comes; false if there is too little for that. */
    async settle(): Promise<boolean> {
      const creditUsd = await creditOf(workspaceId);
      const used = { milliseconds: (until ?? performance.now()) - since, characters };
      const costs = costOfUse(prices, call, speech, used);
      const total = totalOf(costs);
      if (creditUsd === null && total === recorded && until === undefined) return true;
      const outcome = await database
        .within(workspaceId)
        .transaction(async (tx): Promise<'covered' | 'short' | 'unwritten'> => {
          const row = await callRecords.lock(tx, call);
          if (row?.endedAt) return 'unwritten';
          const hold = holdOf(id, nodeId);
          if (!row) {
            // The call was deleted while it lasts: only its cost is left, and is written at its end.
            if (until === undefined) return 'unwritten';
            last ??= usageOfCall(call, inUsd(costs), used.milliseconds);
            const isFirst = await billing.count(tx, workspaceId, last);
            const rest = { spent: total - recorded, quote: nothing };
            if (isFirst && creditUsd !== null)
              await billing.renewHold(tx, workspaceId, creditUsd, hold, rest);
            return 'covered';
          }
          // Not by what this process remembers: two of these may overlap, and the answer to a commit may be lost.
          const more = total - parseUsd(row.costUsd);
          const spent = more > 0n ? more : 0n;
          const costUsd = formatUsd(total);
          if (spent > 0n) await callRecords.setCost(tx, call, { used: inUsd(costs), costUsd });
          if (creditUsd === null) return 'covered';
          const next = { spent, quote: quoteOfNext(prices, call, speech, used) };
          const isCovered = await billing.renewHold(tx, workspaceId, creditUsd, hold, next);
          return isCovered ? 'covered' : 'short';
        });
      if (outcome !== 'unwritten') recorded = total;
      return outcome !== 'short';
    },
    /** What was charged so far. */
    get charged(): NanoUsd {
      return recorded;
    },
  };
}

const nothing = { least: 0n, usual: 0n, most: 0n };

function inUsd(costs: Record<string, bigint>): Record<string, string> {
  return Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, formatUsd(cost)]));
}
