import { expect, it } from 'vitest';
import { readCaller, readStatus } from './call-status.ts';

it.each([
  [{ CallStatus: 'queued' }, undefined],
  [{ CallStatus: 'initiated' }, undefined],
  [{ CallStatus: 'in-progress' }, undefined],
  [{ CallStatus: 'toString' }, undefined],
  [{}, undefined],
  [{ CallStatus: 'ringing' }, 'ringing'],
  [{ CallStatus: 'completed' }, 'remote_hangup'],
  [{ CallStatus: 'completed', AnsweredBy: 'human' }, 'remote_hangup'],
  [{ CallStatus: 'completed', AnsweredBy: 'machine_start' }, 'voicemail'],
  [{ CallStatus: 'busy' }, 'busy'],
  [{ CallStatus: 'busy', SipResponseCode: '603' }, 'declined'],
  [{ CallStatus: 'no-answer' }, 'no_answer'],
  [{ CallStatus: 'canceled' }, 'local_hangup'],
  [{ CallStatus: 'failed', SipResponseCode: '404' }, 'failed'],
])('reads %j as %s', (form, expected) => {
  const news = readStatus(form);
  expect(news?.type === 'ended' ? news.end.cause : news?.type).toBe(expected);
});

it('says why a call failed', () => {
  expect(readStatus({ CallStatus: 'failed', SipResponseCode: '404' })).toMatchObject({
    end: { detail: 'SIP status 404' },
  });
});

it('knows hidden callers', () => {
  expect(['+15550100', '15550100'].map(readCaller)).toEqual(['+15550100', '15550100']);
  expect(['+266696687', 'anonymous', 'client:jane', '', undefined].map(readCaller)).toEqual(
    Array(5).fill(null),
  );
});
