import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { IncomingSipCall } from '../src/calls/answer-call.ts';
import { parseMessage } from '../src/message/parse-message.ts';
import type { OpenUserAgent } from '../src/open-user-agent.ts';
import { openAgent } from './open-agent.ts';

/*
 * Messages of our own for each section of RFC 4475, which lists what implementations of SIP get wrong. A call that is understood is
 * refused with 486 here, and OPTIONS are answered with 200. `{via}`, `{peer}` and `{call}` are filled in when a message is sent.
 */

const offer = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 40000 RTP/AVP 0',
  '',
].join('\r\n');

type Changes = Record<string, string | undefined>;

/** A request with some of its headers changed, by their names in lower case, or left out. */
function request(method: string, changes: Changes = {}, body = ''): string {
  const lines: Changes = {
    start: `${method} sip:+4930100@127.0.0.1 SIP/2.0`,
    via: 'Via: {via}',
    from: 'From: <sip:+4930999@127.0.0.1>;tag=a',
    to: 'To: <sip:+4930100@127.0.0.1>',
    'call-id': 'Call-ID: {call}',
    cseq: `CSeq: 1 ${method}`,
    contact: 'Contact: <sip:a@{peer}>',
    'content-type': body === '' ? undefined : 'Content-Type: application/sdp',
    'content-length': `Content-Length: ${body.length}`,
    ...changes,
  };
  const written = Object.values(lines).filter((line) => line !== undefined);
  return [...written, '', body].join('\r\n');
}

const invite = (changes: Changes = {}) => request('INVITE', changes, offer);
const options = (changes: Changes = {}) => request('OPTIONS', changes);

/** The status that answers a message, or none, by the section of the RFC. */
const messages: [section: string, title: string, message: string, status: number | undefined][] = [
  [
    '3.1.1.1',
    'folded lines and spaces wherever they are allowed',
    invite({
      via: 'v :  SIP  /\r\n  2.0\r\n\t/UDP\r\n {peer} ; rport  ;\r\n branch = 39skdj-{call}',
      to: 'TO :\r\n  sip:+4930100@127.0.0.1',
      from: 'from   : "A \\\\\\""       <sip:+4930999@127.0.0.1>\r\n  ;\r\n  tag = b',
      cseq: 'cseq: 0009\r\n  INVITE',
      'content-length': `Content-Length   : ${offer.length}`,
      more: 'MaX-fOrWaRdS: 0068\r\ns :\r\nNewHeader:  a value\r\n that continues\r\nOddHeader: ;;,,;;,;',
    }),
    486,
  ],
  [
    '3.1.1.2',
    'every character that is allowed',
    request("!odd-Method9_*+`.%too'~", {
      start: "!odd-Method9_*+`.%too'~ sip:1_u.~(x)&is+$/?,/;;*:&p=1,w!*$~d.(n't)@127.0.0.1 SIP/2.0",
      to: 'To: "BEL:\\\u0007 DEL:\\\u007f" <sip:1_u.~(x)&is+$/?,/;;*@127.0.0.1>',
      from: "From: t1~` t2'+_ t3*%!.- <sip:m@127.0.0.1>;p''~+*_!.-%=\"рядом\";tag=_t~1'+`*%!-.",
    }),
    501,
  ],
  ['3.1.1.3', 'escaped characters', invite({ start: 'INVITE sip:%2B49301%300@127.0.0.1 SIP/2.0' }), 486],
  [
    '3.1.1.4',
    'an escaped null',
    options({ start: 'OPTIONS sip:n-%00-n@127.0.0.1 SIP/2.0', to: 'To: sip:n%00n@127.0.0.1' }),
    200,
  ],
  ['3.1.1.5', 'a percent sign that escapes nothing', request('INV%49TE'), 501],
  [
    '3.1.1.6',
    'no space between a name and its address',
    options({ from: 'From: caller<sip:a@127.0.0.1>;tag=b' }),
    200,
  ],
  [
    '3.1.1.7',
    'long values',
    invite({
      from: `From: "${'long '.repeat(200)}" <sip:${'a'.repeat(500)}@127.0.0.1>;tag=${'t'.repeat(500)}`,
      more: `Header-${'x'.repeat(200)}: ${'y'.repeat(2_000)}\r\nVia: ${Array(30).fill('SIP/2.0/TCP h.test').join(', ')}`,
    }),
    486,
  ],
  ['3.1.1.8', 'a second message in the datagram', `${options()}${invite()}`, 200],
  [
    '3.1.1.9',
    'parameters in the user of an address',
    options({ start: 'OPTIONS sip:user;par=u%40h.test@127.0.0.1 SIP/2.0' }),
    200,
  ],
  [
    '3.1.1.10',
    'unknown transports',
    options({ more: 'Via: SIP/2.0/SCTP a.test;branch=z9hG4bKa, SIP/2.0/UNKNOWN b.test;branch=z9hG4bKb' }),
    200,
  ],
  [
    '3.1.1.11',
    'a body of several parts',
    request(
      'MESSAGE',
      { 'content-type': 'Content-Type: multipart/mixed;boundary=b' },
      '--b\r\n\r\nx\r\n--b--',
    ),
    405,
  ],
  ['3.1.2.2', 'a Content-Length beyond the end', invite({ 'content-length': 'Content-Length: 9999' }), 400],
  ['3.1.2.3', 'a negative Content-Length', invite({ 'content-length': 'Content-Length: -999' }), 400],
  ['3.1.2.4', 'a number that is too large', options({ cseq: 'CSeq: 36893488147419103232 OPTIONS' }), 400],
  ['3.1.2.6', 'a quotation without end', invite({ to: 'To: "Mr. J. User <sip:+4930100@127.0.0.1>' }), 400],
  ['3.1.2.7', 'an address in brackets', invite({ start: 'INVITE <sip:+4930100@127.0.0.1> SIP/2.0' }), 400],
  ['3.1.2.8', 'an address with a space', invite({ start: 'INVITE sip:+4930100@127.0.0.1; lr SIP/2.0' }), 400],
  ['3.1.2.9', 'two spaces', invite({ start: 'INVITE  sip:+4930100@127.0.0.1  SIP/2.0' }), 400],
  ['3.1.2.10', 'a space at the end', options({ start: 'OPTIONS sip:+4930100@127.0.0.1 SIP/2.0  ' }), 400],
  ['3.1.2.14', 'spaces around an address', options({ to: 'To: "W, T" < sip:t@127.0.0.1 >' }), 400],
  ['3.1.2.16', 'another version', options({ start: 'OPTIONS sip:t@127.0.0.1 SIP/7.0' }), 505],
  ['3.1.2.17', 'two methods', options({ cseq: 'CSeq: 8 INVITE' }), 400],
  ['3.1.2.18', 'two methods, one of them unknown', request('NEWMETHOD', { cseq: 'CSeq: 8 INVITE' }), 400],
  ['3.3.1', 'nothing but a Via', options({ from: undefined, to: undefined, 'call-id': undefined }), 400],
  ['3.3.2', 'an unknown scheme', options({ start: 'OPTIONS unknown:opaque SIP/2.0' }), 416],
  [
    '3.3.3',
    'a scheme of another protocol',
    invite({ start: 'INVITE soap.beep://127.0.0.1:3002 SIP/2.0' }),
    416,
  ],
  [
    '3.3.4',
    'unknown schemes in headers',
    options({ to: 'To: isbn:2983792873', contact: 'm: <name:a>' }),
    200,
  ],
  [
    '3.3.5',
    'extensions that do not exist',
    invite({ more: 'Require: nothing, timer\r\nProxy-Require: no' }),
    420,
  ],
  ['3.3.6', 'an unknown kind of body', invite({ 'content-type': 'c: application/unknown' }), 415],
  ['3.3.7', 'an unknown kind of proof', invite({ more: 'Authorization: Unknown opaque="x"' }), 486],
  ['3.3.8', 'two callers', invite({ more: 'From: <sip:other@127.0.0.1>;tag=o' }), 400],
  ['3.3.9', 'two lengths', options({ more: 'Content-Length: 5' }), 400],
  ['3.3.11', 'no hops left, at the last one', options({ more: 'Max-Forwards: 0' }), 200],
  ['3.3.12', 'a method of registrars', request('REGISTER', { contact: 'm: sip:a@127.0.0.1;x' }), 405],
  [
    '3.4.1',
    'the syntax of RFC 2543',
    invite({
      via: 'Via: SIP/2.0/UDP {peer}',
      from: 'From: sip:+4930999@127.0.0.1',
      to: 'To: sip:+4930100@127.0.0.1',
      contact: undefined,
    }),
    486,
  ],
  // Nothing answers a response, or what may be one.
  ['3.1.1.12', 'an unusual reason', options({ start: 'SIP/2.0 200 = 2**3 * 5**2 но 200 это да' }), undefined],
  ['3.1.1.13', 'no reason', options({ start: 'SIP/2.0 100 ' }), undefined],
  [
    '3.1.2.5',
    'a response with large numbers',
    options({ start: 'SIP/2.0 503 No', cseq: 'CSeq: 9292394834772304023312 OPTIONS' }),
    undefined,
  ],
  ['3.1.2.19', 'a status that does not exist', options({ start: 'SIP/2.0 4294967301 no' }), undefined],
  [
    '3.3.10',
    'a response to everybody',
    options({ start: 'SIP/2.0 200 OK', via: 'Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bKx' }),
    undefined,
  ],
];

/** What the RFC would refuse, or allows to be refused. Nothing here depends on it, and some phones send it. */
const tolerated: typeof messages = [
  [
    '3.1.2.1',
    'separators without values',
    invite({ via: 'Via: {via};;,;,,', contact: 'm: "Joe" <sip:a@{peer}>;;;;' }),
    486,
  ],
  [
    '3.1.2.11',
    'headers in an address',
    invite({ start: 'INVITE sip:+4930100@127.0.0.1?Route=%3Csip:h.test%3E SIP/2.0' }),
    486,
  ],
  ['3.1.2.12', 'a date in another time zone', invite({ more: 'Date: Fri, 01 Jan 2010 16:00:00 EST' }), 486],
  [
    '3.1.2.13',
    'parameters without brackets',
    invite({ contact: 'm: sip:a@{peer}?Route=%3Csip:h.test%3E' }),
    486,
  ],
  [
    '3.1.2.15',
    'a comma in a name without quotes',
    options({ from: 'From: Bell, A <sip:a@127.0.0.1>;tag=b' }),
    200,
  ],
  ['3.3.15', 'an answer that cannot be read', invite({ more: 'Accept: text/unknown' }), 486],
];

const quickly = { interval: 5 };
const peer = createSocket('udp4');
const received: string[] = [];
const calls: IncomingSipCall[] = [];
const errors: unknown[] = [];
let agent: OpenUserAgent;
let sent = 0;

beforeAll(async () => {
  peer.on('message', (data) => received.push(data.toString())).bind(0, '127.0.0.1');
  await once(peer, 'listening');
  agent = await openAgent({
    trunkPort: 9,
    async expect(call) {
      calls.push(call);
      return { refuse: 486 };
    },
    onError: (error) => errors.push(error),
    // Nothing is sent again.
    timers: { t1: 600_000 },
  });
});
afterAll(async () => {
  await agent.stop();
  peer.close();
});
beforeEach(() => {
  received.length = 0;
  calls.length = 0;
});

function send(message: string): void {
  sent += 1;
  const { port } = peer.address();
  const text = message
    .replaceAll('{via}', `SIP/2.0/UDP {peer};rport;branch=z9hG4bK-${sent}`)
    .replaceAll('{peer}', `127.0.0.1:${port}`)
    .replaceAll('{call}', `call-${sent}`);
  peer.send(text, agent.agent.port, '127.0.0.1');
}

const statuses = () =>
  received.map((text) => Number(/^SIP\/2\.0 (\d+)/.exec(text)?.[1])).filter((status) => status >= 200);

it.each([...messages, ...tolerated])('%s: %s', async (_section, _title, message, status) => {
  send(message);
  if (status === undefined) send(options());
  await expect.poll(statuses, quickly).toEqual([status ?? 200]);
  expect(calls).toHaveLength(status === 486 ? 1 : 0);
  expect(errors).toEqual([]);
});

it('3.1.1.3: an escaped number is the number', async () => {
  send(invite({ start: 'INVITE sip:%2B49301%300@127.0.0.1 SIP/2.0' }));
  await expect.poll(statuses, quickly).toEqual([486]);
  expect(calls).toMatchObject([{ from: '+4930999', to: '+4930100' }]);
});

it('3.1.1.12, 3.1.1.13: responses are read whatever their reason is', () => {
  for (const reason of [' = 2**3 * 5**2 но 200 это да', ' ', '']) {
    const { message } = parseMessage(
      Buffer.from(options({ start: `SIP/2.0 200${reason}` }).replace('{via}', 'SIP/2.0/UDP h')),
    );
    expect(message).toMatchObject({ status: 200, reason: reason.slice(1) });
  }
});

it('3.2.1: requests without an id of their own are told apart', async () => {
  const via = 'Via: SIP/2.0/UDP {peer};rport;branch=z9hG4bK';
  send(options({ via }));
  send(options({ via }));
  const answered = () => new Set(received.map((text) => /^Call-ID: (.*)$/m.exec(text)?.[1])).size;
  await expect.poll(answered, quickly).toBe(2);
});
