import type { BillingService } from '../../billing/service.ts';
import type { Database } from '../../database/database.ts';
import { formatUsd, parseUsd } from '../../money.ts';
import { type VoiceCallRow, voiceCallStore } from '../../voice-calls/service.ts';
import { costOfUse, type SpeechUse, totalOf, type VoicePrices } from './voice-prices.ts';

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
  { id, workspaceId, transport }: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'transport'>,
  speech: SpeechUse,
): Meter {
  let since = performance.now();
  let characters = 0;
  return {
    speak(count) {
      characters += count;
    },
    async settle() {
      const now = performance.now();
      const used = { milliseconds: now - since, characters };
      const costs = costOfUse(prices, transport, speech, used);
      const spent = totalOf(costs);
      const creditUsd = await creditOf(workspaceId);
      if (spent === 0n && creditUsd === null) return true;
      const left = await database.transaction(async (tx) => {
        const row = await voiceCallStore.lock(tx, workspaceId, id);
        if (!row || row.endedAt) return undefined;
        const all = { ...row.used };
        for (const [name, cost] of Object.entries(costs))
          all[name] = formatUsd(parseUsd(all[name] ?? '0') + cost);
        const costUsd = formatUsd(parseUsd(row.costUsd) + spent);
        if (spent > 0n) await voiceCallStore.change(tx, workspaceId, id, { used: all, costUsd });
        return creditUsd === null ? undefined : billing.charge(tx, workspaceId, creditUsd, spent);
      });
      since = now;
      characters -= used.characters;
      return left === undefined || left > 0n;
    },
  };
}
