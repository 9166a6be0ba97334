import { afterAll, expect, it } from 'vitest';
import { headerIn, openUdpPeer, type UdpPeer } from './udp-peer.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();
let peer: UdpPeer;
afterAll(() => peer.close());

it('registers again after failures, as long as the trunk wants, and leaves', async () => {
  peer = await openUdpPeer();
  const account = { username: 'svc', password: 'secret', isRegistering: true };
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
