import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { mulawTone } from '../../support/voice/tones.ts';
import { freeUdpPorts } from '../../support/voice/udp-port.ts';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './udp-peer.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();
const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };
const fast = { t1: 40, t2: 160, trunkAnswer: 600, keepAlive: 600_000 };
const peers: UdpPeer[] = [];

afterAll(() => {
  for (const peer of peers) peer.close();
});

async function open(timers = {}, account = {}) {
  const peer = await openUdpPeer();
  peers.push(peer);
  return { peer, ...(await stage.open(peer.port, account, { ...fast, ...timers })) };
}

describe('calls that we place', () => {
  it('survive lost packets', async () => {
    const { peer, transport, exchange } = await open();
    const placed = transport.place(call);
    const invite = await peer.next('INVITE');
    await peer.again(invite);
    peer.reply(invite, '180 Ringing');
    await placed;
    peer.reply(invite, '200 OK', ['Record-Route: <sip:127.0.0.1:' + peer.port + ';lr>'], description(40_000));
    const acknowledged = await peer.next('ACK');
    expect(headerIn(acknowledged, 'Route')).toBe(`<sip:127.0.0.1:${peer.port};lr>`);
    // Our ACK was lost: the answer comes again.
    peer.reply(invite, '200 OK', [], description(40_000));
    await peer.again(acknowledged);
    const { line } = await exchange.lineOf('out');
    line.hangUp();
    const bye = await peer.next('BYE');
    await peer.again(bye);
    peer.reply(bye, '200 OK');
    expect(exchange.lines.size).toBe(1);
  });

  it('fail or end as the trunk says', async () => {
    const { peer, transport, exchange } = await open();
    await expect(transport.place(call)).rejects.toThrow('The trunk does not respond.');
    for (const [status, cause] of [
      ['603 Decline', 'declined'],
      ['600 Busy Everywhere', 'busy'],
      ['480 Temporarily Unavailable', 'no_answer'],
    ] as const) {
      const placed = transport.place({ ...call, callId: status, to: status.slice(0, 3) });
      peer.reply(await peer.next(`INVITE sip:${status.slice(0, 3)}@`), status);
      await placed;
      expect(await exchange.endOf(status)).toEqual({ cause, detail: status });
      await peer.next('ACK');
    }
    const refused = transport.place({ ...call, callId: 'five', to: '503' });
    const expected = expect(refused).rejects.toThrow('503 Service Unavailable');
    peer.reply(await peer.next('INVITE sip:503@'), '503 Service Unavailable');
    await expected;
  });

  it('are over when we stop, even if the trunk is gone', async () => {
    const { peer, transport, exchange } = await open({ stop: 200 });
    const placed = transport.place(call);
    peer.reply(await peer.next('INVITE'), '180 Ringing');
    await placed;
    await transport.stop();
    await peer.next('CANCEL');
    expect(await exchange.endOf('out')).toEqual({ cause: 'local_hangup' });
    await expect(transport.place(call)).rejects.toThrow('not open');
  });

  it('prove who we are, with SHA-256 and a new nonce when the old one is stale', async () => {
    const { peer, transport } = await open({}, { username: 'svc', password: 'secret' });
    const challenge = (nonce: string, more = '') =>
      `WWW-Authenticate: Digest realm="r", nonce="${nonce}", qop="auth", algorithm=SHA-256${more}`;
    const placed = expect(transport.place(call)).rejects.toThrow('403');
    peer.reply(await peer.next('INVITE'), '401 Unauthorized', [
      'WWW-Authenticate: Digest realm="r", nonce="weak"',
      challenge('one'),
    ]);
    const second = await peer.next('INVITE');
    expect(headerIn(second, 'Authorization')).toContain('nonce="one"');
    expect(headerIn(second, 'CSeq')).toBe('2 INVITE');
    peer.reply(second, '401 Unauthorized', [challenge('two', ', stale=true')]);
    const third = await peer.next('INVITE');
    expect(headerIn(third, 'Authorization')).toMatch(/nonce="two".*algorithm=SHA-256/);
    peer.reply(third, '403 Forbidden');
    await placed;
  });

  it('prove it again when they hang up', async () => {
    const { peer, transport, exchange } = await open({}, { username: 'svc', password: 'secret' });
    const placed = transport.place(call);
    peer.reply(await peer.next('INVITE'), '200 OK', [], description(40_000));
    await peer.next('ACK');
    await placed;
    (await exchange.lineOf('out')).line.hangUp();
    const bye = await peer.next('BYE');
    peer.reply(bye, '407 Proxy Authentication Required', [
      'Proxy-Authenticate: Digest realm="r", nonce="n", qop="auth-int,auth", opaque="o"',
    ]);
    const proven = await peer.next('BYE');
    expect(headerIn(proven, 'Proxy-Authorization')).toMatch(
      /username="svc".*opaque="o", qop=auth, nc=00000001/,
    );
    expect(headerIn(proven, 'CSeq')).toBe('3 BYE');
    expect(proven).not.toContain('secret');
    peer.reply(proven, '200 OK');
  });

  it('hang up when they are answered and given up in the same moment', async () => {
    const { peer, transport, exchange } = await open();
    const placed = transport.place(call);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '180 Ringing');
    await placed;
    transport.cancel('out');
    peer.reply(await peer.next('CANCEL'), '200 OK');
    peer.reply(invite, '200 OK', [], description(40_000));
    await peer.next('ACK');
    peer.reply(await peer.next('BYE'), '200 OK');
    expect(await exchange.endOf('out')).toEqual({ cause: 'local_hangup' });
    expect(exchange.lines.size).toBe(0);
  });
});

describe('calls that we get', () => {
  it('are answered once, however often and on however many ways they arrive', async () => {
    const { peer, transport, exchange } = await open();
    const invite = request(peer, 'INVITE', { body: description(40_000) });
    peer.send(transport.port, invite);
    peer.send(transport.port, invite);
    peer.send(transport.port, request(peer, 'INVITE', { branch: 'other', body: description(40_000) }));
    await peer.next('SIP/2.0 482');
    const answer = await peer.next('SIP/2.0 200');
    expect(await peer.next('SIP/2.0 200')).toBe(answer);
    const toTag = toTagOf(answer);
    const change = request(peer, 'INVITE', { branch: 'early', cseq: 2, toTag, body: description(40_002) });
    peer.send(transport.port, change);
    await peer.next('SIP/2.0 491');
    peer.send(transport.port, request(peer, 'ACK', { toTag }));
    await exchange.lineOf('in-1');
    expect(exchange.incomingCalls).toMatchObject([{ from: '+4930999', to: '+4930100', networkId: 'call' }]);
    peer.send(transport.port, request(peer, 'BYE', { cseq: 3, toTag }));
    expect(await exchange.endOf('in-1')).toEqual({ cause: 'remote_hangup' });
  });

  it('end if our answer is not acknowledged, they are withdrawn, or the other side has gone', async () => {
    const { peer, transport, exchange } = await open({ mediaSilence: 4_000, check: 200 });
    peer.send(transport.port, request(peer, 'INVITE', { call: 'one', body: description(40_000) }));
    expect(headerIn(await peer.next('BYE'), 'Call-ID')).toBe('one');
    expect(exchange.released).toEqual(['one']);
    exchange.foresee = async () => {
      peer.send(transport.port, request(peer, 'CANCEL', { call: 'two', branch: 'INVITE-two' }));
      await peer.next('SIP/2.0 487');
      return undefined;
    };
    peer.send(transport.port, request(peer, 'INVITE', { call: 'two', body: description(40_000) }));
    await expect.poll(() => exchange.released).toEqual(['one', 'two']);
    expect(exchange.confirmedCalls).toEqual([]);
  });

  it('end if the other side sends no audio and no answer', async () => {
    const { peer, transport, exchange } = await open({ mediaSilence: 200, check: 200 });
    peer.send(transport.port, request(peer, 'INVITE', { body: description(40_000) }));
    peer.send(transport.port, request(peer, 'ACK', { toTag: toTagOf(await peer.next('SIP/2.0 200')) }));
    peer.reply(await peer.next('OPTIONS'), '200 OK');
    await peer.next('OPTIONS');
    expect(await exchange.endOf('in-1')).toMatchObject({ cause: 'failed' });
    await peer.next('BYE');
  });

  it('are refused when all ports are in use, and end when we stop', async () => {
    const min = await freeUdpPorts(2);
    const { peer, transport, exchange } = await open({}, { rtpPorts: { min, max: min + 1 } });
    peer.send(transport.port, request(peer, 'INVITE', { body: '' }));
    const offer = await peer.next('SIP/2.0 200');
    expect(offer).toContain(`m=audio ${min} RTP/AVP 9 0 8 101`);
    peer.send(transport.port, request(peer, 'ACK', { toTag: toTagOf(offer), body: description(40_000) }));
    await exchange.lineOf('in-1');
    peer.send(transport.port, request(peer, 'INVITE', { call: 'more', body: description(40_000) }));
    await peer.next('SIP/2.0 486');
    const stopped = transport.stop();
    peer.reply(await peer.next('BYE'), '200 OK');
    await stopped;
    expect(await exchange.endOf('in-1')).toEqual({ cause: 'local_hangup' });
  });
});

describe('strangers and nonsense', () => {
  it('gets no answer, or a refusal, and disturbs nothing', async () => {
    const { peer, transport, exchange } = await open();
    const stranger = await openUdpPeer('127.0.0.2');
    peers.push(stranger);
    stranger.send(transport.port, request(stranger, 'OPTIONS', { call: 'stranger' }));
    stranger.send(
      transport.port,
      request(stranger, 'INVITE', { call: 'stranger', body: description(40_000) }),
    );
    for (const text of ['', '\r\n\r\n', 'INVITE', 'x'.repeat(60_000), 'SIP/2.0 200 OK\r\n\r\n']) {
      peer.send(transport.port, Buffer.from(text));
    }
    peer.send(
      transport.port,
      request(peer, 'INVITE', { call: 'bad' }).filter((line) => !line.startsWith('CSeq')),
    );
    await peer.next('SIP/2.0 400');
    const [start = '', ...others] = request(peer, 'INVITE', { call: 'worse' });
    for (const [line, status] of [
      [start.replace('SIP/2.0', 'SIP/7.0'), '505 Version Not Supported'],
      [start.replace(' sip:', '  sip:'), '400'],
      [start.replace('INVITE', 'X'.repeat(200)), '501 Not Implemented'],
    ] as const) {
      peer.send(transport.port, [line, ...others]);
      await peer.next(`SIP/2.0 ${status}`);
    }
    peer.send(transport.port, [start, 'From: <sip:other@example.com>;tag=other', ...others]);
    await peer.next('SIP/2.0 400');
    peer.send(transport.port, request(peer, 'ODDITY', { call: 'unknown' }));
    await peer.next('SIP/2.0 501');
    peer.send(transport.port, request(peer, 'SUBSCRIBE', { call: 'odd' }));
    await peer.next('SIP/2.0 405');
    peer.send(transport.port, request(peer, 'BYE', { call: 'none', toTag: 'none' }));
    await peer.next('SIP/2.0 481');
    peer.send(transport.port, request(peer, 'OPTIONS', { call: 'fine' }));
    expect(headerIn(await peer.next('SIP/2.0 200'), 'Allow')).toContain('INVITE');
    expect(stranger.received).toEqual([]);
    expect(exchange.incomingCalls).toEqual([]);
  });

  it('cannot speak on a line or have its audio sent elsewhere', async () => {
    const { peer, transport, exchange } = await open();
    peer.send(transport.port, request(peer, 'INVITE', { body: description(40_000) }));
    const answer = await peer.next('SIP/2.0 200');
    peer.send(transport.port, request(peer, 'ACK', { toTag: toTagOf(answer) }));
    const { audio } = await exchange.lineOf('in-1');
    const port = Number(/m=audio (\d+)/.exec(answer)?.[1]);
    const stranger = await openUdpPeer('127.0.0.2');
    peers.push(stranger);
    for (let sequence = 0; sequence < 20; sequence += 1) {
      const header = Buffer.from([0x80, 0, 0, sequence, 0, 0, 0, 0, 0, 0, 0, 1]);
      header.writeUInt32BE(sequence * 160, 4);
      stranger.send(port, Buffer.concat([header, mulawTone(600, 20)]));
      await delay(5);
    }
    await expect.poll(() => audio.length).toBeGreaterThan(15);
    expect(Buffer.concat(audio).every((byte) => byte === 0xff)).toBe(true);
    expect(stranger.received).toEqual([]);
  });
});
