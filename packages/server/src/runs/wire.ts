import type { Run } from '@svc/contract/conversations';
import type { RunRow } from './store.ts';

export function toWireRun(row: RunRow): Run {
  return {
    id: row.turnId,
    status: row.status,
    trigger: row.trigger,
    iterations: row.iterations,
    started_at: row.startedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    deadline_at: row.deadlineAt.toISOString(),
    error: row.error,
    ...(row.webhookStatus && {
      webhook: {
        status: row.webhookStatus,
        attempts: row.webhookAttempts,
        last_error: row.webhookError,
      },
    }),
  };
}

/** A text, or a JSON value where the agent's output is configured as JSON. */
export function finalOutputOf({ finalOutput, outputConfig }: RunRow): unknown {
  if (finalOutput === null) return null;
  return outputConfig?.format === 'json' ? JSON.parse(finalOutput) : finalOutput;
}
