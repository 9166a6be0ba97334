import { afterAll, describe, expect, it } from 'vitest';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './udp-peer.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();
const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };
const peers: UdpPeer[] = [];
afterAll(() => {
  for (const peer of peers) peer.close();
});

async function open() {
  const peer = await openUdpPeer();
  peers.push(peer);
  return { peer, ...(await stage.open(peer.port, {}, { keepAlive: 600_000, t1: 100 })) };
}

/** An INVITE with more headers. */
const invite = (peer: UdpPeer, name: string, headers: string[]) => {
  const [start = '', ...rest] = request(peer, 'INVITE', { call: name, body: description(40_000) });
  return [start, ...headers, ...rest];
};

describe('calls that we place', () => {
  it('are confirmed as often as the trunk wants, and end when it does not confirm them', async () => {
    const { peer, transport, exchange } = await open();
    const answer = async (callId: string, headers: string[]) => {
      const placed = transport.place({ ...call, callId });
      const asked = await peer.next('INVITE');
      expect(headerIn(asked, 'Supported')).toBe('timer');
      peer.reply(asked, '200 OK', headers, description(40_000));
      await peer.next('ACK');
      await placed;
    };
    await answer('ours', ['Require: timer', 'Session-Expires: 6;refresher=uac']);
    const first = await peer.next('INVITE');
    expect(headerIn(first, 'Session-Expires')).toBe('6;refresher=uac');
    expect(first).toContain('m=audio');
    // Until it is answered, we cannot be offered anything.
    const toTag = /;tag=([^;\s]+)/.exec(headerIn(first, 'From'))?.[1] ?? '';
    const callId = headerIn(first, 'Call-ID');
    const glare = request(peer, 'INVITE', { call: callId, toTag, body: description(40_000) });
    peer.send(
      transport.port,
      glare.map((line) => line.replace(` ;tag=peer-${callId}`, ' ;tag=peer')),
    );
    await peer.next('SIP/2.0 491');
    const update = ['Allow: INVITE, UPDATE', 'Session-Expires: 6;refresher=uac'];
    peer.reply(first, '200 OK', update, description(40_000));
    await peer.next('ACK sip:peer@');
    const second = await peer.next('UPDATE');
    expect(second).not.toContain('m=audio');
    expect(exchange.lines.get('ours')?.ends).toEqual([]);
    // The call is over before its confirmation arrives: nothing is to be confirmed any more.
    exchange.lines.get('ours')?.line.hangUp();
    peer.reply(await peer.next('BYE'), '200 OK');
    peer.reply(second, '200 OK', ['Session-Expires: 2;refresher=uac', 'Allow: UPDATE']);

    await answer('theirs', ['Session-Expires: 2;refresher=uas']);
    await peer.next('BYE');
    expect(await exchange.endOf('theirs')).toMatchObject({
      cause: 'failed',
      detail: expect.stringContaining('not confirmed'),
    });
    expect(new Set(peer.received.filter((text) => text.startsWith('UPDATE')))).toEqual(new Set([second]));
  });
});

describe('calls that we get', () => {
  it('say who confirms them, and refuse what they cannot do', async () => {
    const { peer, transport, exchange } = await open();
    const timer = (interval: string) => ['k: timer', `x: ${interval}`];
    peer.send(transport.port, invite(peer, 'short', timer('60')));
    expect(headerIn(await peer.next('SIP/2.0 422'), 'Min-SE')).toBe('90');
    peer.send(transport.port, invite(peer, 'rel', ['Require: timer, 100rel']));
    expect(headerIn(await peer.next('SIP/2.0 420'), 'Unsupported')).toBe('100rel');
    expect(exchange.incomingCalls).toEqual([]);

    peer.send(transport.port, invite(peer, 'one', ['Require: timer', 'Session-Expires: 1800']));
    const accepted = await peer.next('SIP/2.0 200');
    expect(headerIn(accepted, 'Session-Expires')).toBe('1800;refresher=uac');
    expect(headerIn(accepted, 'Require')).toBe('timer');
    peer.send(transport.port, request(peer, 'ACK', { call: 'one', toTag: toTagOf(accepted) }));
    await exchange.lineOf('in-1');
    const dialog = { call: 'one', toTag: toTagOf(accepted) };
    const [start = '', ...rest] = request(peer, 'UPDATE', { ...dialog, cseq: 2 });
    peer.send(transport.port, [start, ...timer('600;refresher=uas'), ...rest]);
    // On a busy machine the first answer is sent again before its acknowledgement arrives.
    const updated = await peer.next('SIP/2.0 200', 'CSeq: 2 UPDATE');
    expect(headerIn(updated, 'Session-Expires')).toBe('600;refresher=uas');
    const [again = '', ...others] = request(peer, 'INVITE', { ...dialog, cseq: 3, branch: 'again' });
    peer.send(transport.port, [again, 'Require: 100rel', ...others]);
    await peer.next('SIP/2.0 420');
    expect(exchange.lines.get('in-1')?.ends).toEqual([]);

    // Only a proxy on the way knows of intervals: then it is our task, and a side that is gone is noticed.
    peer.send(transport.port, invite(peer, 'two', ['Session-Expires: 3']));
    const second = await peer.next('SIP/2.0 200', 'Call-ID: two');
    expect(headerIn(second, 'Session-Expires')).toBe('3;refresher=uas');
    expect(headerIn(second, 'Require')).toBe('');
    peer.send(transport.port, request(peer, 'ACK', { call: 'two', toTag: toTagOf(second) }));
    await exchange.lineOf('in-2');
    peer.reply(await peer.next('INVITE sip:peer@'), '481 Call/Transaction Does Not Exist');
    expect(await exchange.endOf('in-2')).toMatchObject({ cause: 'failed' });
  });
});
