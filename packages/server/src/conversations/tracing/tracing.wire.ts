import type { TraceStep } from '@svc/contract/conversations';
import type { TraceStepKind } from '../conversations.tables.ts';
import type { TraceStepRow } from './tracing.store.ts';

/** Their findings are for operators; the API only shows that they ran. */
const operatorsOnly: ReadonlySet<TraceStepKind> = new Set(['confidence', 'validation']);

export function toWireStep(row: TraceStepRow, index: number): TraceStep {
  const whole = toWholeStep(row, index);
  return operatorsOnly.has(row.type) ? { ...whole, ...nothing } : whole;
}

export function toWholeStep(row: TraceStepRow, index: number): TraceStep {
  const { input, output, usage, error } = row;
  return {
    id: row.id,
    turn_id: row.turnId,
    index,
    type: row.type,
    name: row.name,
    status: row.status,
    started_at: row.startedAt.toISOString(),
    duration_ms: row.durationMs,
    input,
    output,
    usage,
    error,
  };
}

const nothing = { input: null, output: null, usage: null, error: null };
