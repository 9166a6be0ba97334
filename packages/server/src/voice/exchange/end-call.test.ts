import type { CallEndReason, CallStatus } from '@svc/contract/calls';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import type { LineEnd } from '../transports/call-transport.ts';
import { createSureEnds, reasonOfEnd, statusOf, talkedMs } from './end-call.ts';

const log = pino({ level: 'silent' });

describe('the reason of the end', () => {
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
});

it.each([
  ['not answered', null, 0],
  ['over after a minute', 12, 60_000],
  ['noted as over much later', 1, 600_000],
  ['answered by a node whose clock is ahead', 14, 0],
])('the time of a call that was %s', (_what, minute, milliseconds) => {
  const answeredAt = minute === null ? null : new Date(2026, 0, 1, 12, minute);
  expect(talkedMs({ answeredAt, maxSeconds: 600 }, new Date(2026, 0, 1, 12, 13))).toBe(milliseconds);
});

describe('an end that is certain', () => {
  const rowOf = (id: string) => ({ id, workspaceId: 'w' }) as VoiceCallRow;

  /** A record that cannot be written while `isAway` says so. */
  function createRecord() {
    const ended: string[][] = [];
    const state = { isAway: (_id: string) => true, ended, minute: 1 };
    const ends = createSureEnds({
      log,
      clock: { now: () => new Date(2026, 0, 1, 12, state.minute) },
      async endCall({ id }, reason, detail = '', at = new Date(0)) {
        if (state.isAway(id)) throw new Error('The database is away.');
        ended.push([id, reason, detail, `minute ${at.getMinutes()}`]);
        return true;
      },
    });
    return Object.assign(state, { ends });
  }

  it('ends a call when the database is back, once, with its first reason and time and what comes before', async () => {
    const record = createRecord();
    let paid = 0;
    const before = async () => void (paid += 1);
    await record.ends.end(rowOf('a'), 'busy', { detail: 'SIP status 486', before });
    record.minute = 2;
    await record.ends.end(rowOf('a'), 'no_answer');
    await record.ends.retry();
    expect(record.ended).toEqual([]);
    record.isAway = () => false;
    await record.ends.retry();
    await record.ends.retry();
    expect(record.ended).toEqual([['a', 'busy', 'SIP status 486', 'minute 1']]);
    expect(paid).toBe(4);
  });

  it('does not end a call before it is paid, and one that cannot be ended does not keep others open', async () => {
    const record = createRecord();
    record.isAway = (id) => id === 'a';
    let isPaid = false;
    const before = async () => {
      if (!isPaid) throw new Error('The database is away.');
    };
    await record.ends.end(rowOf('a'), 'stopped');
    await record.ends.end(rowOf('b'), 'silence', { before, at: new Date(2026, 0, 1, 12, 0) });
    expect(record.ended).toEqual([]);
    isPaid = true;
    await record.ends.retry();
    expect(record.ended).toEqual([['b', 'silence', '', 'minute 0']]);
  });
});
