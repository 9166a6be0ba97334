import type { ConsoleTraceStep } from '@svc/contract/console-conversation';
import type { TraceStep } from '@svc/contract/conversations';
import type { UsageRow } from '../../billing/billing.service.ts';
import { formatUsd, parseUsd } from '../../lib/money.ts';

/** Adds to each step what it cost: the record of the same model with the same tokens. Each record is used once. */
export function takeMatching(steps: readonly TraceStep[], used: readonly UsageRow[]): ConsoleTraceStep[] {
  const left = [...used];
  return steps.map((step) => {
    const index = left.findIndex((record) => isOf(record, step));
    const [record] = index === -1 ? [] : left.splice(index, 1);
    return { ...step, cost_usd: record?.costUsd ? formatUsd(parseUsd(record.costUsd)) : null };
  });
}

function isOf(record: UsageRow, { name, usage }: TraceStep): boolean {
  return (
    usage !== null &&
    record.model === name &&
    record.inputTokens === usage.input_tokens &&
    record.cachedInputTokens === usage.cached_input_tokens &&
    record.outputTokens === usage.output_tokens
  );
}
