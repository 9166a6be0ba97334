import type { Run, RunWebhook } from '@svc/contract/conversations';
import type { ListedRun, RunRow } from './runs.store.ts';

export function toWireRun(row: RunRow): Run {
  const webhook = toWebhook(row);
  return {
    id: row.turnId,
    status: row.status,
    trigger: row.trigger,
    iterations: row.iterations,
    started_at: row.startedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    deadline_at: row.deadlineAt.toISOString(),
    error: row.error,
    ...(webhook && { webhook }),
  };
}

/** What became of the message to the agent's webhook; undefined without one. */
export function toWebhook(row: ListedRun): RunWebhook | undefined {
  if (!row.webhookStatus) return undefined;
  return { status: row.webhookStatus, attempts: row.webhookAttempts, last_error: row.webhookError };
}

/** A text, or a JSON value where the agent's output is configured as JSON. */
export function finalOutputOf({ finalOutput, outputConfig }: RunRow): unknown {
  if (finalOutput === null) return null;
  return outputConfig?.format === 'json' ? JSON.parse(finalOutput) : finalOutput;
}
