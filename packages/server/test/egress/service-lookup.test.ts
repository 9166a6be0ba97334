import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServiceLookup } from '../../src/egress/service-lookup.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';

let server: DnsServer;
const services = [
  { name: 'backup.example', port: 5062, priority: 20, weight: 100 },
  { name: 'small.example', port: 5061, priority: 10, weight: 1 },
  { name: 'large.example', port: 5060, priority: 10, weight: 9 },
];
beforeAll(async () => {
  server = await startDnsServer((name) =>
    name === '_sip._udp.trunk.example' ? { services } : name.startsWith('broken') ? 'broken' : 'unknown',
  );
});
afterAll(() => server.close());

it('returns the hosts of a service by priority, and within one by weight', async () => {
  const servers = [server.address];
  const first = createServiceLookup({ servers, random: () => 0.5 });
  const hosts = (await first('_sip._udp.trunk.example')).map(({ host, port }) => `${host}:${port}`);
  expect(hosts).toEqual(['large.example:5060', 'small.example:5061', 'backup.example:5062']);
  const draws = [0.1, 0.99, 0.1];
  const lucky = createServiceLookup({ servers, random: () => draws.shift() ?? 0 });
  expect((await lucky('_sip._udp.trunk.example')).map(({ host }) => host)[2]).toBe('backup.example');
  expect(await first('_sip._udp.nothing.example')).toEqual([]);
  expect(await first('broken.example')).toEqual([]);
});
