import { expect, it } from 'vitest';
import { isDialAnswered, readCaller, readDial, readStatus } from './call-status.ts';

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

it.each([
  [{ CallStatus: 'in-progress' }, 'answered'],
  [{ CallStatus: 'in-progress', DialCallStatus: 'completed' }, 'over'],
  [{ CallStatus: 'completed', DialCallStatus: 'completed' }, 'over'],
  [{ CallStatus: 'in-progress', DialCallStatus: 'busy' }, 'failed'],
  [{ CallStatus: 'in-progress', DialCallStatus: 'no-answer' }, 'failed'],
  [{ CallStatus: 'completed', DialCallStatus: 'canceled' }, 'hung_up'],
])('reads the dialing %j as %s', (form, expected) => {
  expect(readDial(form).type).toBe(expected);
});

it.each([
  [{ calls: [{ status: 'busy' }, { status: 'in-progress' }] }, true],
  [{ calls: [{ status: 'completed' }] }, true],
  [{ calls: [{ status: 'no-answer' }, { status: 'ringing' }] }, false],
  [{ calls: [null, {}] }, false],
  [{ calls: 'completed' }, false],
  [undefined, false],
])('reads the list of dialed calls %j as %s', (body, expected) => {
  expect(isDialAnswered(body)).toBe(expected);
});

it('knows hidden callers', () => {
  expect(['+15550100', '15550100'].map(readCaller)).toEqual(['+15550100', '15550100']);
  expect(['+266696687', 'anonymous', 'client:jane', '', undefined].map(readCaller)).toEqual(
    Array(5).fill(null),
  );
});
