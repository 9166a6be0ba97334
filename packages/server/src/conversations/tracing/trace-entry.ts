import type { Usage } from '../../models/model.ts';
import type { TraceStepKind } from '../conversations.tables.ts';

/** One step for the trace view. Input and output are JSON. */
export interface TraceEntry {
  id: string;
  type: TraceStepKind;
  name: string;
  status: 'ok' | 'error';
  startedAt: Date;
  durationMs: number;
  input: unknown;
  output: unknown;
  usage: Usage | null;
  error: string | null;
}
