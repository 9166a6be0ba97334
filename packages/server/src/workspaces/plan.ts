import { formatUsd, parseUsd } from '../lib/money.ts';
import type { StoredPlan } from './workspaces.store.ts';

export interface PlanConfiguration {
  maxBots?: number;
  balanceUsd?: string;
}

/**
 * What the environment changes in a stored plan. Only a value that differs from the last start's is applied, so that a
 * restart does not undo `svc workspaces update`; credit changes by the difference.
 */
export function planFromConfiguration(stored: StoredPlan, wanted: PlanConfiguration): Partial<StoredPlan> {
  const plan: Partial<StoredPlan> = {};
  const maxBots = wanted.maxBots ?? null;
  if (maxBots !== stored.configuredMaxBots) {
    plan.maxBots = maxBots;
    plan.configuredMaxBots = maxBots;
  }
  const credit = nullableUsd(wanted.balanceUsd);
  const lastCredit = nullableUsd(stored.configuredCreditUsd);
  if (credit !== lastCredit) {
    plan.configuredCreditUsd = credit === null ? null : formatUsd(credit);
    plan.creditUsd =
      credit === null ? null : formatUsd((nullableUsd(stored.creditUsd) ?? 0n) - (lastCredit ?? 0n) + credit);
  }
  return plan;
}

function nullableUsd(text: string | null | undefined): bigint | null {
  return text === null || text === undefined ? null : parseUsd(text);
}
