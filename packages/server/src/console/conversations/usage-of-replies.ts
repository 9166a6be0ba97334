import type { Usage } from '@svc/contract/conversations';
import type { UsageRow } from '../../billing/billing.service.ts';
import { formatUsd, parseUsd } from '../../lib/money.ts';

/** What some requests to models used together. */
export interface Spent {
  /** The model that wrote the most; null without a request. */
  model: string | null;
  usage: Usage;
  /** Null if a part of it has no known price. */
  cost_usd: string | null;
}

export function sumUsage(records: readonly UsageRow[]): Spent {
  const sum = (pick: (record: UsageRow) => number) =>
    records.reduce((total, record) => total + pick(record), 0);
  const writer = records.reduce<UsageRow | undefined>(
    (most, record) => (most && most.outputTokens >= record.outputTokens ? most : record),
    undefined,
  );
  return {
    model: writer?.model ?? null,
    usage: {
      input_tokens: sum((record) => record.inputTokens),
      cached_input_tokens: sum((record) => record.cachedInputTokens),
      output_tokens: sum((record) => record.outputTokens),
    },
    cost_usd: sumCost(records),
  };
}

function sumCost(records: readonly UsageRow[]): string | null {
  let total = 0n;
  for (const { costUsd } of records) {
    if (costUsd === null) return null;
    total += parseUsd(costUsd);
  }
  return formatUsd(total);
}
