import { describe, expect, it } from 'vitest';
import { createPeers, type PeersOptions } from './peers.ts';
import { grantedSeconds } from './registration.ts';

const names: Record<string, string[]> = {
  'trunk.example': ['192.0.2.1', '2001:db8::1'],
  'one.example': ['192.0.2.11'],
  'two.example': ['192.0.2.12', '192.0.2.13'],
};

function open(options: Partial<PeersOptions> & Partial<PeersOptions['network']> = {}) {
  const asked: string[] = [];
  const peers = createPeers({
    trunk: { host: 'trunk.example' },
    allowedPeers: [],
    mediaPeers: [],
    network: {
      lookUp: async (host) => {
        const found = names[host];
        if (!found) throw new Error(`${host} is unknown`);
        return found;
      },
      lookUpService: async (name) => {
        asked.push(name);
        return [];
      },
      ...options,
    },
    family: 'ipv4',
    ...options,
  });
  return { peers, asked };
}

const hosts = [
  { host: 'missing.example', port: 5070 },
  { host: 'one.example', port: 5071 },
  { host: 'two.example', port: 5072 },
];

describe('the trunk', () => {
  it('is looked up as a service if it has no port, and by its address otherwise', async () => {
    const { peers, asked } = open();
    expect(await peers.trunk()).toEqual({ address: '192.0.2.1', port: 5060 });
    expect(asked).toEqual(['_sip._udp.trunk.example']);
    const fixed = open({ trunk: { host: 'trunk.example', port: 5080 } });
    expect(await fixed.peers.trunk()).toEqual({ address: '192.0.2.1', port: 5080 });
    const literal = open({ trunk: { host: '192.0.2.9' } });
    expect(await literal.peers.trunk()).toEqual({ address: '192.0.2.9', port: 5060 });
    expect([...fixed.asked, ...literal.asked]).toEqual([]);
    const other = open({ trunk: { host: '[2001:DB8:0::9]' }, family: 'ipv6' });
    expect(await other.peers.trunk()).toEqual({ address: '2001:db8::9', port: 5060 });
    expect(other.peers.isAllowed('2001:db8::9')).toBe(true);
    await expect(open({ trunk: { host: 'none.example' } }).peers.trunk()).rejects.toThrow('none.example');
  });

  it('is the next of its hosts when one does not answer', async () => {
    const { peers } = open({ lookUpService: async () => hosts });
    const first = await peers.trunk();
    expect(first).toEqual({ address: '192.0.2.11', port: 5071 });
    peers.distrust({ ...first, port: 5060 });
    expect(await peers.trunk()).toEqual(first);
    peers.distrust(first);
    await peers.refresh();
    expect(await peers.trunk()).toEqual({ address: '192.0.2.12', port: 5072 });
    expect(['192.0.2.11', '192.0.2.13', '192.0.2.1'].map(peers.isAllowed)).toEqual([true, true, false]);
  });

  it('may still call from an address that its name has lost meanwhile, but not forever', async () => {
    let time = 0;
    let named = ['192.0.2.1'];
    const { peers } = open({ lookUp: async () => named, now: () => time });
    await peers.refresh();
    named = ['192.0.2.2'];
    await peers.refresh();
    expect(await peers.trunk()).toMatchObject({ address: '192.0.2.2' });
    expect(peers.isAllowed('192.0.2.1')).toBe(true);
    time = 25 * 3_600_000;
    await peers.refresh();
    expect(['192.0.2.1', '192.0.2.2'].map(peers.isAllowed)).toEqual([false, true]);
  });
});

it('allows addresses and networks', () => {
  const { peers } = open({ allowedPeers: ['198.51.100.7', '10.1.0.0/16', '2001:db8:5::/48'] });
  const asked = [
    '198.51.100.7',
    '198.51.100.8',
    '10.1.255.1',
    '10.2.0.1',
    '2001:db8:5::1',
    '2001:db8:6::1',
    '',
  ];
  expect(asked.filter(peers.isAllowed)).toEqual(['198.51.100.7', '10.1.255.1', '2001:db8:5::1']);
});

it('reads for how long the trunk has registered us, even under an address that it sees', () => {
  const response = (...contacts: string[]) => ({
    headers: [{ name: 'expires', value: '500' }, ...contacts.map((value) => ({ name: 'contact', value }))],
  });
  const own = '<sip:svc@10.0.0.5:5060>';
  expect(grantedSeconds(response('<sip:x@192.0.2.1>;expires=90', `${own};expires=60`), own)).toBe(60);
  expect(grantedSeconds(response('<sip:svc@203.0.113.5:1234>;expires=45'), own)).toBe(45);
  expect(grantedSeconds(response(), own)).toBe(500);
  expect(grantedSeconds(response(`${own};expires=0`), own)).toBe(10);
});
