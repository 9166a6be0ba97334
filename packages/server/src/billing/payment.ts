import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionFailure, isDeadlock, type Transaction } from '../database/database.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../lib/money.ts';
import { newId } from '../lib/new-id.ts';
import type { Usage } from '../models/model.ts';
import type { Price } from '../models/prices.ts';
import type { Services } from '../services.ts';
import { billingStore, type NewUsage } from './billing.store.ts';
import { type UsageOrigin, usageRow } from './usage-row.ts';

/** Pays for one call outside the steps of turns. */
export type Payment = ReturnType<typeof createPayment>;

export interface PaymentOptions extends Pick<Services, 'database'> {
  workspaceId: string;
  origin: UsageOrigin;
  modelId: string;
  price: Price | undefined;
  reservation: { id: string; granted: NanoUsd } | undefined;
}

const maxAttempts = 20;

export function createPayment(options: PaymentOptions) {
  const { database, workspaceId, origin, modelId, price, reservation } = options;
  const used: NewUsage[] = [];
  let isSettled = false;

  function total(): NanoUsd {
    return used.reduce((sum, { costUsd }) => sum + parseUsd(costUsd ?? '0'), 0n);
  }

  async function write(tx: Transaction): Promise<void> {
    // Already stored: only the confirmation was lost.
    if (used.length > 0 && !(await billingStore.insertUsage(tx, workspaceId, used))) return;
    if (!reservation) return;
    const held = parseUsd(await billingStore.removeReservation(tx, workspaceId, reservation.id));
    const moved = { reserved: formatUsd(-held), settled: formatUsd(total()) };
    await billingStore.move(tx, workspaceId, moved);
  }

  return {
    /** What was set aside; undefined where there is no balance to take it from. */
    granted: reservation?.granted,
    /** What is left of it. */
    left: (): NanoUsd => (reservation?.granted ?? 0n) - total(),
    spent(usage: Usage): void {
      if (usage.inputTokens + usage.outputTokens === 0) return;
      used.push(usageRow(newId(), modelId, usage, price, origin));
    },
    /**
     * Takes what was spent and gives back the rest, with `within` in the same transaction. Call it whatever happened:
     * a second call does nothing.
     */
    async settle(within?: (tx: Transaction) => Promise<void>): Promise<void> {
      if (isSettled) return;
      if (within) {
        await database.within(workspaceId).transaction(async (tx) => {
          await within(tx);
          await write(tx);
        });
      } else if (reservation || used.length > 0)
        await patiently(() => database.within(workspaceId).transaction(write));
      isSettled = true;
    },
  };
}

/** The provider has been paid: a short outage of the database must not lose the record. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !(isConnectionFailure(error) || isDeadlock(error))) throw error;
      await sleep(Math.min(50 * 2 ** attempt, 2_000));
    }
  }
}
