import { afterAll, expect, it } from 'vitest';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './udp-peer.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();
const peers: UdpPeer[] = [];
afterAll(() => {
  for (const peer of peers) peer.close();
});

const account = { username: 'svc', password: 'secret', isRegistering: true };

async function openPeer(): Promise<UdpPeer> {
  const peer = await openUdpPeer();
  peers.push(peer);
  return peer;
}

it('registers again after failures, as long as the trunk wants, and leaves', async () => {
  const peer = await openPeer();
  const opened = stage.open(peer.port, account, { backoff: 20, trunkAnswer: 5_000 });
  peer.reply(await peer.next('REGISTER'), '503 Service Unavailable');
  const { transport } = await opened;
  const second = await peer.next('REGISTER');
  expect(headerIn(second, 'Expires')).toBe('300');
  peer.reply(second, '423 Interval Too Brief', ['Min-Expires: 600']);
  const third = await peer.next('REGISTER');
  expect(headerIn(third, 'Expires')).toBe('600');
  expect(headerIn(third, 'Call-ID')).toBe(headerIn(second, 'Call-ID'));
  peer.reply(third, '401 Unauthorized', ['WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"']);
  const proven = await peer.next('REGISTER');
  expect(headerIn(proven, 'Authorization')).toContain('username="svc"');
  peer.reply(proven, '200 OK', ['Expires: 600']);
  // The response is read before this one, so the transport knows that it is registered.
  peer.send(transport.port, [
    `OPTIONS sip:svc@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKo`,
    'From: <sip:trunk@127.0.0.1>;tag=1',
    'To: <sip:svc@127.0.0.1>',
    'Call-ID: o',
    'CSeq: 1 OPTIONS',
    '',
    '',
  ]);
  await peer.next('SIP/2.0 200');
  const stopped = transport.stop();
  const last = await peer.next('REGISTER');
  expect(headerIn(last, 'Expires')).toBe('0');
  peer.reply(last, '200 OK');
  await stopped;
});

/** A name that can be looked up from some moment on. */
function createName() {
  let isKnown = false;
  return {
    appear: () => void (isKnown = true),
    async lookUp() {
      if (!isKnown) throw new Error('The name servers do not answer.');
      return ['127.0.0.1'];
    },
  };
}

it('does not announce an address until it is known, and then registers at once', async () => {
  const peer = await openPeer();
  const everywhere = {
    trunk: { host: 'trunk.example', port: peer.port },
    listen: { host: '0.0.0.0', port: 0 },
    allowedPeers: ['127.0.0.1'],
  };
  const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };
  const quiet = { backoff: 600_000, maxBackoff: 600_000, keepAlive: 600_000 };
  const name = createName();
  // The keep-alive is the first to find the trunk.
  const timers = { ...quiet, keepAlive: 100 };
  const registering = await stage.open(peer.port, { ...everywhere, ...account }, timers, name.lookUp);
  await expect(registering.transport.place(call)).rejects.toThrow('address of the trunk');
  expect(peer.received).toEqual([]);
  name.appear();
  const registered = await peer.next('REGISTER');
  const { port } = registering.transport;
  expect(headerIn(registered, 'Contact')).toBe(`<sip:svc@127.0.0.1:${port}>`);
  expect(headerIn(registered, 'Via')).toContain(`SIP/2.0/UDP 127.0.0.1:${port};`);
  peer.reply(registered, '200 OK');

  const later = createName();
  const placing = await stage.open(peer.port, everywhere, quiet, later.lookUp);
  later.appear();
  const placed = placing.transport.place(call);
  const invite = await peer.next('INVITE');
  expect(headerIn(invite, 'Contact')).toBe(`<sip:127.0.0.1:${placing.transport.port}>`);
  expect(invite).toContain('c=IN IP4 127.0.0.1\r\n');
  peer.reply(invite, '486 Busy Here');
  await placed;

  // Others may call us while the trunk is unknown.
  const answering = await stage.open(peer.port, everywhere, quiet, createName().lookUp);
  peer.send(answering.transport.port, request(peer, 'INVITE', { body: description(40_000) }));
  const answer = await peer.next('SIP/2.0 200');
  expect(headerIn(answer, 'Contact')).toBe(`<sip:127.0.0.1:${answering.transport.port}>`);
  expect(answer).toContain('c=IN IP4 127.0.0.1\r\n');
  peer.send(answering.transport.port, request(peer, 'ACK', { toTag: toTagOf(answer) }));
  await answering.exchange.lineOf('in-1');
  expect(peer.received.filter((text) => text.includes('0.0.0.0:'))).toEqual([]);
});
