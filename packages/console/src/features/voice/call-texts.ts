import type { Call, CallEndReason, CallStatus } from '@svc/contract/calls';
import type { State } from '../../kit/labels.tsx';

type Shown = { state: State; text: string };

const states: Record<CallStatus, Shown> = {
  queued: { state: 'running', text: 'Calling' },
  ringing: { state: 'running', text: 'Ringing' },
  in_progress: { state: 'running', text: 'On the phone' },
  completed: { state: 'success', text: 'Completed' },
  no_answer: { state: 'warning', text: 'No answer' },
  busy: { state: 'warning', text: 'Busy' },
  failed: { state: 'danger', text: 'Failed' },
  ended_by_limit: { state: 'warning', text: 'Ended by a limit' },
};

const reasons: Record<CallEndReason, string> = {
  caller_hung_up: 'The caller hung up',
  bot_hung_up: 'The bot hung up',
  stopped: 'Ended by the team',
  transferred: 'Transferred to a person',
  silence: 'Nobody spoke any more',
  no_answer: 'Nobody answered',
  voicemail: 'An answering machine answered',
  busy: 'The line was busy',
  declined: 'The call was declined',
  max_duration: 'Reached its longest duration',
  insufficient_balance: 'The balance was used up',
  visitor_limit: 'The visitor cost as much as they may in a day',
  not_placed: 'Could not be placed',
  speech_failed: 'The speech provider failed',
  bot_failed: 'The bot failed',
  line_failed: 'The line failed',
  node_lost: 'The node that held it was lost',
  service_stopped: 'The service was stopped',
};

export const outcomes = (
  ['in_progress', 'completed', 'no_answer', 'busy', 'failed', 'ended_by_limit'] as const
).map((value) => ({ value, label: states[value].text }));

export function isOpen({ status }: Pick<Call, 'status'>): boolean {
  return status === 'queued' || status === 'ringing' || status === 'in_progress';
}

/** What a call is doing, or why it ended. A status or reason of a newer service is shown as it is. */
export function outcomeOf({ status, end_reason: reason, direction }: OutcomeParts): Shown {
  const known = (states as Partial<Record<string, Shown>>)[status] ?? { state: 'unknown', text: status };
  if (reason === null) return known;
  if (reason === 'caller_hung_up' && direction === 'outbound')
    return { ...known, text: 'The other side hung up' };
  return { ...known, text: (reasons as Partial<Record<string, string>>)[reason] ?? reason };
}

type OutcomeParts = Pick<Call, 'status' | 'end_reason' | 'direction'>;

/** The person who talks with the bot: `From +15550100`. */
export function otherSideOf({ direction, from_number: from, to_number: to }: CallNumbers): string {
  if (direction === 'web') return 'From the website';
  return direction === 'inbound' ? `From ${from ?? 'a hidden number'}` : `To ${to ?? 'an unknown number'}`;
}

/** Our own number: `on +15550199`. */
export function ownSideOf({ direction, from_number: from, to_number: to }: CallNumbers): string | undefined {
  const own = direction === 'inbound' ? to : direction === 'outbound' ? from : null;
  return own === null ? undefined : `${direction === 'inbound' ? 'on' : 'from'} ${own}`;
}

type CallNumbers = Pick<Call, 'direction' | 'from_number' | 'to_number'>;

/** `0:07`, `12:30`, `1:02:03`. */
export function clockDuration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}
