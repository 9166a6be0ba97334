import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { ListedConversation } from '@svc/contract/console-conversations';
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

type LatestAct = NonNullable<ListedConversation['latest_act']> | null;

/** The same for a conversation that is open, as the service says of those in lists. */
export function latestActOf({
  messages,
  notes,
  needs_human: needsHuman,
}: Pick<ConsoleConversation, 'messages' | 'notes' | 'needs_human'>): LatestAct {
  if (needsHuman === null) return null;
  const said = messages.findLast(({ role }) => role === 'user' || role === 'operator');
  const done = notes.findLast(({ kind }) => kind === 'handed_off' || kind === 'taken_over');
  if (said && (!done || said.created_at > done.created_at)) return said.role === 'user' ? 'user' : 'operator';
  // A program that takes over only asks for a person.
  return done?.kind === 'taken_over' && done.author_id !== null ? 'taken_over' : 'handed_off';
}

/** A person was asked and nobody has taken over or answered since, or the user has written since. */
export function isWaiting({
  state,
  needs_human: needsHuman,
  latest_act: act,
}: Pick<ListedConversation, 'state' | 'needs_human' | 'latest_act'>): boolean {
  return needsHuman !== null && state === 'open' && act !== 'operator' && act !== 'taken_over';
}

/** What the state of a conversation is called; undefined while it is idle, unless its latest turn failed. */
export function statusOf(
  conversation: Pick<ListedConversation, 'status' | 'needs_human' | 'state' | 'latest_act' | 'assignee_name'>,
  latestTurn: TurnStatus | null | undefined,
): { state: State; text: string } | undefined {
  const { status, state, needs_human: needsHuman, assignee_name: assignee } = conversation;
  if (status === 'paused' || status === 'running') return states[status];
  if (state === 'resolved') return { state: 'success', text: 'resolved' };
  if (state === 'snoozed') return { state: 'info', text: 'snoozed' };
  if (isWaiting(conversation)) return { state: 'paused', text: 'waits for a person' };
  if (needsHuman) return { state: 'idle', text: `${assignee ?? 'a person'} is answering` };
  if (status !== 'idle') return states[status];
  return latestTurn === 'failed' ? states.failed : undefined;
}
