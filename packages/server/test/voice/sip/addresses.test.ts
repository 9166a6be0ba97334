import { networkInterfaces } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './udp-peer.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();
const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };
const quiet = { keepAlive: 600_000 };
const peers: UdpPeer[] = [];
afterAll(() => {
  for (const peer of peers) peer.close();
});

async function openPeer(address?: string): Promise<UdpPeer> {
  const peer = await openUdpPeer(address);
  peers.push(peer);
  return peer;
}

it('names the address that the trunk sees, or the one that it is told', async () => {
  const peer = await openPeer();
  const everywhere = { listen: { host: '0.0.0.0', port: 0 } };
  for (const [config, expected] of [
    [everywhere, '127.0.0.1'],
    [{ ...everywhere, publicIp: '203.0.113.7' }, '203.0.113.7'],
  ] as const) {
    const { transport } = await stage.open(peer.port, config, quiet);
    const placed = transport.place(call);
    const invite = await peer.next('INVITE');
    expect(headerIn(invite, 'Via')).toContain(`SIP/2.0/UDP ${expected}:${transport.port};`);
    expect(headerIn(invite, 'Contact')).toBe(`<sip:${expected}:${transport.port}>`);
    expect(invite).toContain(`c=IN IP4 ${expected}\r\n`);
    peer.reply(invite, '486 Busy Here');
    await placed;
    await peer.next('ACK');
  }
});

it('takes calls from the addresses and networks that may call, besides the trunk', async () => {
  const trunk = await openPeer();
  const allowedPeers = ['127.0.0.2', '127.0.4.0/24'];
  const { transport, exchange } = await stage.open(trunk.port, { allowedPeers }, quiet);
  const [one, other, stranger] = [
    await openPeer('127.0.0.2'),
    await openPeer('127.0.4.9'),
    await openPeer('127.0.5.9'),
  ];
  stranger.send(transport.port, request(stranger, 'INVITE', { call: 'x', body: description(40_000) }));
  for (const [name, peer] of Object.entries({ one, other })) {
    peer.send(transport.port, request(peer, 'INVITE', { call: name, body: description(40_000) }));
    const toTag = toTagOf(await peer.next('SIP/2.0 200'));
    peer.send(transport.port, request(peer, 'ACK', { call: name, toTag }));
  }
  await exchange.lineOf('in-2');
  expect(exchange.incomingCalls.map(({ networkId }) => networkId)).toEqual(['one', 'other']);
  expect(stranger.received).toEqual([]);
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);
it.runIf(hasIpv6)('works over IPv6', async () => {
  const peer = await openPeer('::1');
  const config = { trunk: { host: '[0:0::1]', port: peer.port }, listen: { host: '[::1]', port: 0 } };
  const { transport, exchange } = await stage.open(peer.port, config, quiet);
  const sdp = description(40_000).replaceAll('IP4 127.0.0.1', 'IP6 ::1');
  const placed = transport.place(call);
  const invite = await peer.next('INVITE');
  expect(headerIn(invite, 'Contact')).toBe(`<sip:[::1]:${transport.port}>`);
  expect(invite).toContain('c=IN IP6 ::1\r\n');
  peer.reply(invite, '200 OK', [], sdp);
  await peer.next('ACK');
  await placed;
  (await exchange.lineOf('out')).line.hangUp();
  peer.reply(await peer.next('BYE sip:peer@[::1]:'), '200 OK');
  const incoming = request(peer, 'INVITE', { body: sdp }).map((line) => line.replace('127.0.0.1:', '[::1]:'));
  peer.send(transport.port, incoming);
  const answer = await peer.next('SIP/2.0 200');
  expect(headerIn(answer, 'Via')).toContain(`received=::1`);
  expect(answer).toContain('c=IN IP6 ::1\r\n');
});

it('refuses addresses that cannot be meant', () => {
  const sip = { SVC_VOICE_TRANSPORT: 'sip', SIP_TRUNK_URI: 'sip:trunk.example' };
  const read = (more: Record<string, string>) => () => readConfig({ ...sip, ...more });
  expect(read({})().voice).toMatchObject({
    trunk: { host: 'trunk.example' },
    listen: { host: '0.0.0.0', port: 5060 },
  });
  for (const more of [
    { SIP_LISTEN: 'localhost:5060' },
    { SIP_LISTEN: '0.0.0.0' },
    { SIP_LISTEN: '0.0.0.0:70000' },
    { SIP_TRUNK_URI: 'sip:trunk.example:70000' },
    { SIP_TRUNK_URI: 'sip:trunk.example:0' },
    { SIP_TRUNK_URI: 'trunk.example' },
    { SIP_PUBLIC_IP: '10.0.0.0/8' },
    { SIP_ALLOWED_PEERS: 'pbx.example' },
    { SIP_USERNAME: 'a' },
    { SIP_REGISTER: 'true' },
    { RTP_PORT_MIN: '20000', RTP_PORT_MAX: '20000' },
  ])
    expect(read(more), JSON.stringify(more)).toThrow(ConfigError);
});
