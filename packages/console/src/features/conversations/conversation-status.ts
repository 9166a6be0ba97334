import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { TurnStatus } from '@svc/contract/conversations';
import type { State } from '../../kit/labels.tsx';

type Status = ConsoleConversation['status'];

const states: Record<Exclude<Status, 'idle'>, { state: State; text: string }> = {
  running: { state: 'running', text: 'answering' },
  paused: { state: 'paused', text: 'waits for approval' },
  completed: { state: 'success', text: 'completed' },
  failed: { state: 'danger', text: 'failed' },
  timed_out: { state: 'danger', text: 'timed out' },
  interrupted: { state: 'info', text: 'stopped' },
  max_iterations_reached: { state: 'warning', text: 'out of steps' },
  queued: { state: 'running', text: 'calling' },
  ringing: { state: 'running', text: 'ringing' },
  in_progress: { state: 'running', text: 'on the phone' },
  no_answer: { state: 'warning', text: 'no answer' },
  busy: { state: 'warning', text: 'busy' },
  ended_by_limit: { state: 'warning', text: 'ended by a limit' },
};

/** Those that have a name. */
export const namedStatuses = Object.keys(states) as Exclude<Status, 'idle'>[];

/** What a state is called where it stands alone: `Waits for approval`. */
export function statusName(status: string): string {
  const text = states[status as Exclude<Status, 'idle'>]?.text ?? status;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How a turn went, where that is what was asked for. */
export function turnStatusOf(latestTurn: TurnStatus | null): { state: State; text: string } | undefined {
  return latestTurn ? states[latestTurn] : undefined;
}

/** What the state of a conversation is called; undefined while it is idle, unless its latest turn failed. */
export function statusOf(
  {
    status,
    needs_human: needsHuman,
    assignee,
    state,
  }: Pick<ConsoleConversation, 'status' | 'needs_human' | 'assignee' | 'state'>,
  latestTurn: TurnStatus | null | undefined,
): { state: State; text: string } | undefined {
  if (status === 'paused' || status === 'running') return states[status];
  if (state === 'resolved') return { state: 'success', text: 'resolved' };
  if (state === 'snoozed') return { state: 'info', text: 'snoozed' };
  if (needsHuman) return { state: 'paused', text: assignee ? 'with a person' : 'waits for a person' };
  if (status !== 'idle') return states[status];
  return latestTurn === 'failed' ? states.failed : undefined;
}
