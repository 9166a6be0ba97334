import type { BillingService } from '../../billing/service.ts';
import type { Database } from '../../database/database.ts';
import { formatUsd } from '../../money.ts';
import { type VoiceCallRow, voiceCallStore } from '../../voice-calls/service.ts';
import type { VoicePrices } from '../../voice-prices.ts';
import { costOfUse, type SpeechUse, totalOf } from './cost-of-use.ts';

export interface MeterDependencies {
  database: Database;
  billing: Pick<BillingService, 'charge'>;
  /** The workspace's credit; null where it is unlimited. */
  creditOf(workspaceId: string): Promise<string | null>;
  prices: VoicePrices;
}

/** Counts what a call costs while it lasts. */
export interface Meter {
  speak(characters: number): void;
  /** Charges what was used since the last time; false if the workspace has nothing left. */
  settle(): Promise<boolean>;
}

export function createMeter(
  { database, billing, creditOf, prices }: MeterDependencies,
  call: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'transport' | 'direction'>,
  speech: SpeechUse,
): Meter {
  const { id, workspaceId } = call;
  const since = performance.now();
  let characters = 0;
  let charged = 0n;
  return {
    speak(count) {
      characters += count;
    },
    async settle() {
      const costs = costOfUse(prices, call, speech, { milliseconds: performance.now() - since, characters });
      const total = totalOf(costs);
      const spent = total - charged;
      const creditUsd = await creditOf(workspaceId);
      if (spent === 0n && creditUsd === null) return true;
      const left = await database.transaction(async (tx) => {
        const row = await voiceCallStore.lock(tx, workspaceId, id);
        if (!row || row.endedAt) return undefined;
        const used = Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, formatUsd(cost)]));
        if (spent > 0n) await voiceCallStore.change(tx, workspaceId, id, { used, costUsd: formatUsd(total) });
        return creditUsd === null ? undefined : billing.charge(tx, workspaceId, creditUsd, spent);
      });
      charged = total;
      return left === undefined || left > 0n;
    },
  };
}
