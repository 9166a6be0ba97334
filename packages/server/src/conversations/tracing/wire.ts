import type { TraceStep } from '@svc/contract/conversations';
import type { TraceStepKind } from '../tables.ts';
import type { TraceStepRow } from './store.ts';

/** What these find out is for operators: others may know that they ran, and nothing else. */
const operatorsOnly: ReadonlySet<TraceStepKind> = new Set(['confidence', 'validation']);

export function toWireStep(row: TraceStepRow, index: number): TraceStep {
  const step = toOperatorStep(row, index);
  return operatorsOnly.has(row.type)
    ? { ...step, input: null, output: null, usage: null, error: null }
    : step;
}

export function toOperatorStep(row: TraceStepRow, index: number): TraceStep {
  return {
    id: row.id,
    turn_id: row.turnId,
    index,
    type: row.type,
    name: row.name,
    status: row.status,
    started_at: row.startedAt.toISOString(),
    duration_ms: row.durationMs,
    input: row.input,
    output: row.output,
    usage: row.usage,
    error: row.error,
  };
}
