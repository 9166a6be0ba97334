import type { CallEndReason, CallStatus } from '@svc/contract/calls';
import type { LineEnd } from '../transports/call-transport.ts';

/** The status of a call that ended for this reason. */
export function statusOf(reason: CallEndReason): CallStatus {
  switch (reason) {
    case 'caller_hung_up':
    case 'bot_hung_up':
    case 'stopped':
    case 'transferred':
    case 'silence':
      return 'completed';
    case 'no_answer':
    case 'voicemail':
      return 'no_answer';
    case 'busy':
    case 'declined':
      return 'busy';
    case 'max_duration':
    case 'insufficient_balance':
    case 'visitor_limit':
      return 'ended_by_limit';
    case 'not_placed':
    case 'speech_failed':
    case 'bot_failed':
    case 'line_failed':
    case 'node_lost':
    case 'service_stopped':
      return 'failed';
  }
}

export function reasonOf({ cause }: LineEnd): CallEndReason {
  switch (cause) {
    case 'remote_hangup':
      return 'caller_hung_up';
    case 'local_hangup':
      return 'bot_hung_up';
    case 'time_limit':
      return 'max_duration';
    case 'failed':
      return 'line_failed';
    case 'transferred':
    case 'busy':
    case 'no_answer':
    case 'declined':
    case 'voicemail':
      return cause;
  }
}

/** The same for a call that may not have been answered: nobody has hung up then. */
export function reasonOfEnd(end: LineEnd, isAnswered: boolean): CallEndReason {
  const reason = reasonOf(end);
  return !isAnswered && (reason === 'caller_hung_up' || reason === 'bot_hung_up') ? 'no_answer' : reason;
}
