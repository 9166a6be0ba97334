import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { unknownHost } from '../../src/egress/egress-error.ts';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { createTrustedLane } from '../../src/egress/trusted-lane.ts';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';
import { startOutsideServer } from './support.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

async function open<Opened extends { close(): Promise<void> }>(
  one: Opened | Promise<Opened>,
): Promise<Opened> {
  const there = await one;
  opened.push(there);
  return there;
}

const answers: Record<string, DnsAnswer> = {
  'quick.test': { addresses: ['127.0.0.1'] },
  'alias.test': { alias: 'quick.test', addresses: ['127.0.0.1'] },
  'half.test': { addresses: ['127.0.0.1'], silentFor: 'AAAA' },
  'both.test': { addresses: ['127.0.0.1', 'fd00:0:0:0:0:0:0:1'] },
  'rebinding.test': { addresses: ['93.184.215.14', '127.0.0.1'] },
  'broken.test': 'broken',
  'empty.test': {},
};

async function openStage(allow: string[] = ['127.0.0.1']) {
  const names = await open(
    startDnsServer((name) => (name.endsWith('.slow.test') ? 'silence' : (answers[name] ?? 'unknown'))),
  );
  const server = await open(startOutsideServer());
  const lane = await open(createGuardedLane({ allow, nameServers: [names.address] }));
  const reach = async (host: string) =>
    (await lane.request({ url: `http://${host}:${server.port}/` })).body.toString();
  return { names, server, lane, reach };
}

describe('names', () => {
  it('that never resolve block neither other names nor files nor the trusted lane', async () => {
    const { lane, reach, names, server } = await openStage();
    const trusted = await open(createTrustedLane());
    let given = 0;
    const slow = Array.from({ length: 200 }, async (_, index) => {
      await expect(lane.request({ url: `http://host${index}.slow.test/` })).rejects.toThrow();
      given += 1;
    });
    await expect.poll(() => new Set(names.asked).size).toBe(200);
    expect(await reach('quick.test')).toBe('hello');
    expect(await readFile(import.meta.filename, 'utf8')).toContain('hold up neither');
    const posted = trusted.post(new URL(`http://localhost:${server.port}/`), {
      headers: {},
      body: '',
      signal: AbortSignal.timeout(30_000),
    });
    expect(await posted).toMatchObject({ status: 200 });
    // All of that happened while every one of them was still waiting.
    expect(given).toBe(0);
    await lane.close();
    await Promise.all(slow);
  }, 60_000);

  it('time out with a clear message', async () => {
    const { lane, reach } = await openStage();
    const running = [
      reach('a.slow.test'),
      lane.fetch('http://b.slow.test/'),
      lane.openSocket({ host: 'c.slow.test', port: 25, signal: AbortSignal.timeout(30_000) }),
    ];
    const said = await Promise.all(running.map((one) => one.catch((error: unknown) => String(error))));
    expect(said).toEqual(
      ['a', 'b', 'c'].map((name) => `EgressFailed: ${name}.slow.test could not be looked up in time.`),
    );
  }, 30_000);

  it('are followed through aliases, by whichever kind of address there is', async () => {
    const { reach } = await openStage();
    expect(await reach('quick.test')).toBe('hello');
    expect(await reach('alias.test')).toBe('hello');
    expect(await reach('half.test')).toBe('hello');
  });

  it('are refused for any address that is not allowed', async () => {
    const { reach, server } = await openStage();
    await expect(reach('both.test')).rejects.toEqual(unknownHost('both.test'));
    const { reach: reachPublic } = await openStage([]);
    await expect(reachPublic('rebinding.test')).rejects.toEqual(unknownHost('rebinding.test'));
    await expect(reachPublic('quick.test')).rejects.toEqual(unknownHost('quick.test'));
    expect(server.connections()).toBe(0);
  });

  it('that do not exist look the same as private ones, but not as those that failed to resolve', async () => {
    const { reach } = await openStage([]);
    await expect(reach('missing.test')).rejects.toEqual(unknownHost('missing.test'));
    await expect(reach('empty.test')).rejects.toEqual(unknownHost('empty.test'));
    await expect(reach('broken.test')).rejects.toThrow('broken.test could not be looked up.');
  });

  it('are looked up once for all who need them at the same time', async () => {
    const { names, server, lane } = await openStage();
    // Sockets, because they ask at once; requests wait for a connection first.
    const signal = AbortSignal.timeout(30_000);
    const opening = Array.from({ length: 20 }, () =>
      lane.openSocket({ host: 'quick.test', port: server.port, signal }),
    );
    for (const socket of await Promise.all(opening)) socket.destroy();
    // Once for each kind of address, and again only if the answer takes longer than two seconds.
    expect(names.asked.length).toBeLessThanOrEqual(6);
  });

  it.each([
    ['allowed itself', 'localhost', undefined],
    ['allowed by its address', '127.0.0.0/8', undefined],
    ['allowed itself, with name servers', 'localhost', ['127.0.0.1:1']],
    ['allowed by its address, with name servers', '127.0.0.0/8', ['127.0.0.1:1']],
  ])('that only this machine knows are found: %s', async (_name, allow, nameServers) => {
    const server = await open(startOutsideServer());
    const lane: GuardedLane = await open(
      createGuardedLane({ allow: [allow, '::1'], nameServers: nameServers ?? [] }),
    );
    const { body } = await lane.request({ url: `http://localhost:${server.port}/` });
    expect(body.toString()).toBe('hello');
  });
});
