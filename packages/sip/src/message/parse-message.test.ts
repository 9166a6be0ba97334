import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../calls/user-agent.ts';
import { parseMessage } from './parse-message.ts';
import { replyAddress, respondTo, withSource } from './respond.ts';
import { headerOf, isRequest, listOf, writeMessage } from './sip-message.ts';

const invite = [
  'INVITE sip:+4930100@example.com SIP/2.0',
  'v: SIP/2.0/UDP 10.0.0.1:5070;branch=z9hG4bKa;rport, SIP/2.0/UDP b.example;branch=z9hG4bKb',
  'f: "Doe, \\"J\\"" <sip:a@example.com;x=1>;tag=1',
  't:',
  ' <sip:+4930100@example.com>',
  'i: abc',
  'CSeq: 7',
  '\tINVITE',
  'Subject: first',
  'l: 2',
  '',
  'hello',
];

describe('parseMessage', () => {
  it('reads compact forms, folded lines and lists', () => {
    const { message } = parseMessage(Buffer.from(invite.join('\r\n')));
    expect(message).toMatchObject({ method: 'INVITE', callId: 'abc', cseq: { number: 7, method: 'INVITE' } });
    expect(message?.from).toMatchObject({ uri: 'sip:a@example.com;x=1' });
    expect(message?.from.parameters.get('tag')).toBe('1');
    expect(message?.via).toMatchObject({ host: '10.0.0.1', port: 5070 });
    expect(message && listOf(message, 'via')).toHaveLength(2);
    expect(message?.body.toString()).toBe('he');
  });

  it('says what is wrong', () => {
    const without = (name: string) => invite.filter((line) => !line.startsWith(name)).join('\n');
    expect(parseMessage(Buffer.from(without('i:'))).problem).toBe('has no valid Call-ID');
    expect(parseMessage(Buffer.from(without('v:'))).problem).toBe('has no valid Via');
    expect(parseMessage(Buffer.from(invite.join('\n').replace('l: 2', 'l: 99'))).problem).toContain(
      'shorter',
    );
    expect(parseMessage(Buffer.from('\r\n\r\n'))).toMatchObject({ refusal: undefined });
  });

  it.each([
    ['INVITE <sip:+4930100@example.com> SIP/2.0', 400],
    ['INVITE sip:a b@example.com SIP/2.0', 400],
    ['INVITE  sip:+4930100@example.com  SIP/2.0', 400],
    ['INVITE sip:+4930100@example.com SIP/2.0 ', 400],
    ['INVITE sip:+4930100@example.com;lr "x" SIP/2.0', 400],
    ['INVITE sip:+4930100@example.com SIP/7.0', 505],
    [`${'X'.repeat(101)} sip:+4930100@example.com SIP/2.0`, 501],
    // It has no response, whatever is wrong with it.
    ['ACK <sip:+4930100@example.com> SIP/2.0', undefined],
    ['INVITE sip:+4930100@example.com HTTP/1.1', undefined],
    ['SIP/7.0 200 OK', undefined],
  ])('refuses %s with %s', (start, refusal) => {
    const parsed = parseMessage(Buffer.from([start, ...invite.slice(1)].join('\r\n')));
    expect(parsed).toMatchObject({ problem: expect.any(String), refusal });
    if (!parsed.message && refusal !== undefined) expect(headerOf(parsed, 'call-id')).toBe('abc');
  });

  it('reads methods with unusual characters and names', () => {
    const method = "!interesting-Method0123456789_*+`.%indeed'~";
    const lines = invite.map((line) => line.replace('INVITE', method));
    expect(parseMessage(Buffer.from(lines.join('\r\n'))).message).toMatchObject({
      method: method.toUpperCase(),
    });
    expect(refusalOf(method.toUpperCase())).toBe(501);
    expect(refusalOf('REGISTER')).toBe(405);
  });

  it.each([
    'i: other',
    'From: <sip:b@example.com>;tag=2',
    'CSeq: 8 INVITE',
    't: <sip:c@example.com>',
    'l: 3',
  ])('refuses a second header that says something else: %s', (line) => {
    const lines = [...invite.slice(0, -2), line, ...invite.slice(-2)];
    expect(parseMessage(Buffer.from(lines.join('\r\n')))).toMatchObject({
      problem: expect.stringContaining('twice'),
      refusal: 400,
    });
    const repeated = [...invite.slice(0, -2), 'i: abc', 'l: 2', ...invite.slice(-2)];
    expect(parseMessage(Buffer.from(repeated.join('\r\n'))).message).toBeDefined();
  });

  it('reads what we write, and never throws', () => {
    const alphabet = fc.constantFrom(
      ...Array.from('<>";:,=\\\r\n\t @[]'),
      'a',
      'sip:',
      'SIP/2.0',
      'Via',
      'branch',
      '7',
    );
    const broken = fc
      .tuple(
        fc.nat(invite.join('\r\n').length),
        fc.array(alphabet).map((parts) => parts.join('')),
        fc.nat(20),
      )
      .map(([at, text, removed]) => {
        const whole = invite.join('\r\n');
        return Buffer.from(whole.slice(0, at) + text + whole.slice(at + removed));
      });
    const source = { address: '10.0.0.2', port: 5080 };
    fc.assert(
      fc.property(
        fc.oneof(
          broken,
          fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        ),
        (data) => {
          const parsed = parseMessage(data);
          const found = parsed.message ? parsed.message.headers : parsed.headers;
          const headers = withSource(found, source);
          const written = writeMessage(respondTo({ headers }, 400, { tag: 't' }));
          expect(written.toString()).toMatch(/^SIP\/2\.0 400 Bad Request\r\n/);
          if (!parsed.message) return;
          const again = parseMessage(writeMessage(parsed.message)).message;
          expect(again?.headers.filter(({ name }) => name !== 'content-length')).toEqual(
            parsed.message.headers.filter(({ name }) => name !== 'content-length'),
          );
          expect(again && isRequest(again)).toBe(isRequest(parsed.message));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('answers to where a request came from', () => {
    const source = { address: '10.0.0.2', port: 5080 };
    const { message } = parseMessage(Buffer.from(invite.join('\r\n')));
    const headers = withSource(message?.headers ?? [], source);
    expect(headerOf({ headers }, 'via')).toBe(
      'SIP/2.0/UDP 10.0.0.1:5070;branch=z9hG4bKa;rport=5080;received=10.0.0.2',
    );
    expect(replyAddress({ headers }, source)).toEqual(source);
    const plain = headers.map(({ name, value }) => ({ name, value: value.replace(/;rport=\d+/, '') }));
    expect(replyAddress({ headers: plain }, source)).toEqual({ address: '10.0.0.2', port: 5070 });
    const response = respondTo({ headers }, 200, { tag: 'ours' });
    expect(headerOf(response, 'to')).toBe('<sip:+4930100@example.com>;tag=ours');
  });
});
