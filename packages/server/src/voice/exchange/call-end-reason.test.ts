import type { CallEndReason, CallStatus } from '@svc/contract/calls';
import { expect, it } from 'vitest';
import type { LineEnd } from '../transports/call-transport.ts';
import { reasonOfEnd, statusOf } from './call-end-reason.ts';

it.each<[LineEnd['cause'], CallEndReason, CallStatus]>([
  ['remote_hangup', 'caller_hung_up', 'completed'],
  ['local_hangup', 'bot_hung_up', 'completed'],
  ['transferred', 'transferred', 'completed'],
  ['busy', 'busy', 'busy'],
  ['declined', 'declined', 'busy'],
  ['no_answer', 'no_answer', 'no_answer'],
  ['voicemail', 'voicemail', 'no_answer'],
  ['time_limit', 'max_duration', 'ended_by_limit'],
  ['failed', 'line_failed', 'failed'],
])('a line that ended by %s ends its call as %s, which is %s', (cause, reason, status) => {
  expect(reasonOfEnd({ cause }, true)).toBe(reason);
  expect(statusOf(reason)).toBe(status);
});

it('a call that nobody answered is never completed', () => {
  expect(reasonOfEnd({ cause: 'remote_hangup' }, false)).toBe('no_answer');
  expect(reasonOfEnd({ cause: 'local_hangup' }, false)).toBe('no_answer');
  expect(reasonOfEnd({ cause: 'busy' }, false)).toBe('busy');
});
