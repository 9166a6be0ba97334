import type { AgentOverview, HistoryStatus, RunEntry } from '@svc/contract/run-history';
import type { State } from '../../kit/labels.tsx';

export interface ShownState {
  state: State;
  text: string;
}

export const runStates: Record<HistoryStatus, ShownState> = {
  running: { state: 'running', text: 'Running' },
  paused: { state: 'paused', text: 'Waits for approval' },
  completed: { state: 'success', text: 'Completed' },
  failed: { state: 'danger', text: 'Failed' },
  timed_out: { state: 'danger', text: 'Timed out' },
  interrupted: { state: 'warning', text: 'Stopped' },
  max_iterations_reached: { state: 'warning', text: 'Out of iterations' },
  skipped: { state: 'info', text: 'Skipped' },
};

export const triggerNames: Record<RunEntry['trigger'], string> = {
  api: 'API',
  schedule: 'Schedule',
  console: 'By hand',
};

export type Slot = AgentOverview['recent'][number];

/** What became of a slot: the state of its run, or why there is none. */
export function slotState(slot: Slot): ShownState {
  switch (slot.outcome) {
    case 'fired':
      return slot.run_status ? runStates[slot.run_status] : { state: 'unknown', text: 'Ran, since deleted' };
    case 'skipped_busy':
      return { state: 'info', text: 'Skipped: still busy' };
    case 'skipped_late':
      return { state: 'info', text: 'Skipped: too late' };
    case 'failed':
      return { state: 'danger', text: 'Could not start' };
  }
}

/** `17 completed, 2 skipped, 1 failed`. */
export function summarizeSlots(slots: readonly Slot[]): string {
  const counts = new Map<string, number>();
  for (const slot of slots) {
    const [name = ''] = slotState(slot).text.split(':');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name.toLowerCase()}`).join(', ');
}

/** How long a run took, or has taken so far, in milliseconds; undefined for a slot without a run. */
export function durationOf(
  entry: Pick<RunEntry, 'kind' | 'at' | 'ended_at'>,
  now: number,
): number | undefined {
  if (entry.kind === 'slot') return undefined;
  const end = entry.ended_at === null ? now : Date.parse(entry.ended_at);
  return Math.max(0, end - Date.parse(entry.at));
}

/** The one thing to know about an entry besides its state. */
export function reasonOf({
  reason,
  webhook,
  payload,
}: Pick<RunEntry, 'reason' | 'webhook' | 'payload'>): string {
  if (reason) return reason;
  if (webhook?.status === 'failed') return `Its webhook failed: ${webhook.last_error ?? 'no answer'}`;
  return payload ?? '';
}
