import type { ConsoleTraceStep } from '@svc/contract/console-conversation';
import { money } from '../../../format/numbers.ts';

const names: Record<ConsoleTraceStep['type'], string> = {
  model: 'Model',
  tool: 'Tool',
  retrieval: 'Search',
  approval: 'Approval',
  confidence: 'Grading',
  validation: 'Validation',
  goal_completion_check: 'Goal check',
};

/** `2.3K`, because a line is short. */
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function typeName(type: ConsoleTraceStep['type']): string {
  return names[type];
}

/** What a step did, in a few characters: `812 → 140 · $0.002`, `6 found`, `approved`. */
export function summaryOf(step: ConsoleTraceStep): string {
  const parts = [outcomeOf(step), step.cost_usd === null ? undefined : money(step.cost_usd)];
  return parts.filter((part) => part !== undefined).join(' · ');
}

function outcomeOf({ type, output, usage }: ConsoleTraceStep): string | undefined {
  const fields = typeof output === 'object' && output !== null ? (output as Record<string, unknown>) : {};
  if (usage) return `${short.format(usage.input_tokens)} → ${short.format(usage.output_tokens)}`;
  if (type === 'retrieval' && Array.isArray(fields['passages'])) return `${fields['passages'].length} found`;
  if (type === 'approval' && typeof fields['status'] === 'string')
    return fields['status'].replaceAll('_', ', ');
  if (type === 'confidence' && typeof fields['score'] === 'number')
    return `score ${fields['score'].toFixed(2)}`;
  return undefined;
}
