import { type UsageKey, type UsageReportRow, usageKeys } from '@svc/contract/usage';
import { parseUsd } from '../../lib/money.ts';
import { wireCost } from '../known-cost.ts';
import type { UnpricedUsage, UsageKeys, UsageSum } from './usage.store.ts';

export const maxUsageRows = 10_000;

/** With the requested keys only. */
export function toWireRows(
  sums: readonly UsageSum[],
  unpriced: readonly UnpricedUsage[],
  by: readonly UsageKey[],
): UsageReportRow[] {
  const unpricedOf = new Map(unpriced.map((one) => [placeOf(one), one.models]));
  return sums.map((sum) => ({
    ...Object.fromEntries(by.map((key) => [key, sum[key]])),
    turns: sum.turns,
    input_tokens: sum.inputTokens,
    output_tokens: sum.outputTokens,
    call_seconds: sum.callSeconds,
    ...wireCost({ usd: parseUsd(sum.costUsd), unpriced: unpricedOf.get(placeOf(sum)) ?? [] }),
  }));
}

function placeOf(keys: UsageKeys): string {
  return JSON.stringify(usageKeys.map((key) => keys[key]));
}
