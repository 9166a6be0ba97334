import { describe, expect, it } from 'vitest';
import { parseMessage } from '../message/parse-message.ts';
import { isRequest, type ReceivedRequest } from '../message/sip-message.ts';
import { calledNumber, callerNumber } from './answer-call.ts';
import { dialOutcome } from './dial-outcome.ts';
import { infoDigit } from './sip-call.ts';

function invite(uri: string, from: string, ...headers: string[]): ReceivedRequest {
  const lines = [
    `INVITE ${uri} SIP/2.0`,
    'Via: SIP/2.0/UDP a;branch=z9hG4bKa',
    `From: ${from};tag=1`,
    'To: <sip:+4930100@b>',
    'Call-ID: c',
    'CSeq: 1 INVITE',
    ...headers,
    '',
    '',
  ];
  const { message } = parseMessage(Buffer.from(lines.join('\r\n')));
  if (!message || !isRequest(message)) throw new Error('Not a request.');
  return message;
}

describe('the numbers of a call', () => {
  it('are where trunks put them', () => {
    const called = (uri: string, ...headers: string[]) =>
      calledNumber(invite(uri, '<sip:a@b>', ...headers), 'account');
    expect(called('sip:+49-30.222@b')).toBe('+4930222');
    expect(called('sip:0049301;npdi@b')).toBe('0049301');
    expect(called('sip:%2B4930222@b')).toBe('+4930222');
    expect(called('sip:account@b')).toBe('+4930100');
    expect(called('sip:account@b', 'P-Called-Party-ID: <sip:+4930300@b>')).toBe('+4930300');
    expect(calledNumber(invite('sip:777@b', '<sip:a@b>'), '777')).toBe('+4930100');
  });

  it('name the caller, unless that is withheld', () => {
    const caller = (from: string, ...headers: string[]) => callerNumber(invite('sip:1@b', from, ...headers));
    expect(caller('"A" <sip:+4930999@b>')).toBe('+4930999');
    expect(caller('<sip:x@b>', 'P-Asserted-Identity: "B" <tel:+49-30-888>')).toBe('+4930888');
    expect(caller('<sip:anonymous@anonymous.invalid>')).toBeNull();
    expect(caller('<sip:+4930999@b>', 'Privacy: id')).toBeNull();
    expect(caller('<sip:b>')).toBeNull();
  });
});

it('keys are read from both kinds of INFO', () => {
  const info = (type: string, body: string) =>
    infoDigit({ headers: [{ name: 'content-type', value: type }], body: Buffer.from(body) });
  expect(info('application/dtmf-relay', 'Signal= 5\r\nDuration=160')).toBe('5');
  expect(info('application/dtmf-relay', 'Signal=#')).toBe('#');
  expect(info('application/dtmf', '11')).toBe('#');
  expect(info('application/dtmf', 'a')).toBe('A');
  expect(info('text/plain', '5')).toBeUndefined();
});

it('refusals have the cause that people expect', () => {
  const of = (status: number) => dialOutcome({ reason: 'refused', status, phrase: 'X\r\ny' });
  expect(of(486)).toEqual({ isPlaced: true, end: { cause: 'busy', detail: '486 Xy' } });
  expect(of(480).end.cause).toBe('no_answer');
  expect(of(603).end.cause).toBe('declined');
  expect(of(403)).toMatchObject({ isPlaced: false, end: { cause: 'failed' } });
  expect(of(302).isPlaced).toBe(false);
});
