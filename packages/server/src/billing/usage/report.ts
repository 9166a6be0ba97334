import type { UsageKey, UsageReportRow } from '@svc/contract/usage';
import { formatUsd, parseUsd } from '../../lib/money.ts';
import type { UsageSum } from './usage.store.ts';

export const maxUsageRows = 10_000;

/** With the requested keys only. */
export function toWireRow(sum: UsageSum, by: readonly UsageKey[]): UsageReportRow {
  return {
    ...Object.fromEntries(by.map((key) => [key, sum[key]])),
    turns: sum.turns,
    input_tokens: sum.inputTokens,
    output_tokens: sum.outputTokens,
    cost_usd: sum.costUsd === null ? null : formatUsd(parseUsd(sum.costUsd)),
  };
}
