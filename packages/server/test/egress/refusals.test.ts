import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EgressRefused, unknownHost } from '../../src/egress/egress-error.ts';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { type OutsideServer, startOutsideServer } from './support.ts';

/** Every known way to write "this machine", "this network" or "the cloud's metadata". PORT is really open. */
const refused = [
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.0.0.1:PORT/',
  'http://0x7f.1:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0177.0x0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.8.8.8:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http:127.0.0.1:PORT/',
  'http:/127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT/',
  ' http://127.0.0.1:PORT/ ',
  'ht\ntp://127.0.0.1:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://[::]:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[64:ff9b:1::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2001:0:7f00:1::]:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fe80::1%25lo]:PORT/',
  'http://[fe80::1%lo]:PORT/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://localhost..:PORT/',
  'http://ｌｏｃａｌｈｏｓｔ:PORT/',
  'http://app.localhost:PORT/',
  'http://printer.local/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://METADATA.google.INTERNAL./',
  'http://router.home.arpa/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://[::ffff:169.254.169.254]/',
  'http://169.254.170.2/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.0.1/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://192.0.2.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'https://127.0.0.1:PORT/',
  'http://user@example.com/',
  'http://user:secret@example.com/',
  'http://example.com@127.0.0.1:PORT/',
  'http://example.com:80@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT@example.com/',
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://127.0.0.1:PORT/_x',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'ws://127.0.0.1:PORT/',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'blob:http://127.0.0.1:PORT/x',
  '//127.0.0.1:PORT/',
  '/relative',
  'http://',
  'http://.',
  'http://127.0.0.1%00.example.com/',
  'http://1.2.3.4.5/',
  'http://4294967296/',
  '',
];

/** Names that the resolver answers with these addresses. */
const badAnswers: Record<string, string[]> = {
  'inside.example': ['127.0.0.1'],
  'ten.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mixed-six.example': ['2606:4700::1111', 'fd00::1'],
  'zone.example': ['fe80::1%lo'],
};

describe('the guarded lane refuses', () => {
  let inside: OutsideServer;
  let lane: GuardedLane;
  const asked: string[] = [];

  beforeAll(async () => {
    inside = await startOutsideServer({ host: '::' });
    lane = createGuardedLane({
      allow: [],
      resolve: async (host) => {
        asked.push(host);
        return badAnswers[host] ?? ['127.0.0.1'];
      },
    });
  });
  afterAll(async () => {
    await lane.close();
    expect(inside.connections()).toBe(0);
    await inside.close();
  });

  it.each(refused)('%s', async (text) => {
    const url = text.replaceAll('PORT', String(inside.port));
    await expect(lane.request({ url })).rejects.toBeInstanceOf(EgressRefused);
    expect(lane.refusalOf(url)).toEqual(expect.any(String));
    await expect(lane.fetch(url)).rejects.toBeInstanceOf(EgressRefused);
  });

  it.each(Object.keys(badAnswers))('a name that resolves to a private address: %s', async (host) => {
    // The same error as for an unknown name, so that private names cannot be probed.
    const refusal = `${host} could not be found, or is not a public address`;
    const failure = await lane.request({ url: `http://${host}:${inside.port}/` }).catch(String);
    expect(failure).toContain(`EgressFailed: ${refusal}`);
    for (const address of badAnswers[host] ?? []) expect(failure).not.toContain(address);
    await expect(lane.fetch(`http://${host}:${inside.port}/`)).rejects.toThrow(refusal);
  });

  it.each(['http://example.com\\@127.0.0.1:PORT/', 'http://example.com#@127.0.0.1@localhost:PORT/'])(
    '%s, which names example.com and nothing else',
    async (text) => {
      const url = text.replaceAll('PORT', String(inside.port));
      await expect(lane.request({ url })).rejects.toEqual(unknownHost('example.com'));
    },
  );

  it('a socket to a private address', async () => {
    const signal = AbortSignal.timeout(1_000);
    const open = (host: string) => lane.openSocket({ host, port: inside.port, signal });
    for (const host of ['127.0.0.1', '::1', '127.1', 'localhost', 'intranet', 'a@b', '']) {
      await expect(open(host)).rejects.toBeInstanceOf(EgressRefused);
    }
    await expect(open('inside.example')).rejects.toEqual(unknownHost('inside.example'));
  });

  it.each(['host', 'Content-Length', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'te'])(
    'the header %s',
    async (name) => {
      const url = 'http://inside.example/';
      await expect(lane.request({ url, headers: { [name]: 'x' } })).rejects.toThrow('cannot be set');
    },
  );

  it('headers that HTTP cannot carry, without showing them', async () => {
    const url = 'http://inside.example/';
    for (const headers of [
      { a: 'secret\r\nhost: x' },
      { a: 'secret\0' },
      { 'a b': 'secret' },
      { 'a\n': 'secret' },
    ]) {
      const failure = await lane.request({ url, headers }).catch(String);
      expect(failure).toContain('that HTTP cannot carry');
      expect(failure).not.toContain('secret');
    }
  });

  it.each(['CONNECT', 'TRACE', 'UPGRADE', 'GET / HTTP/1.1\r\nx:', ''])('the method %j', async (method) => {
    await expect(lane.request({ url: 'http://inside.example/', method })).rejects.toThrow('not supported');
  });

  it('names like localhost are not even looked up', () => {
    expect(asked.filter((host) => !(host in badAnswers) && host !== 'example.com')).toEqual([]);
  });
});

it('reports why it refused, even where callers are told that the name is unknown', async () => {
  const reasons: string[] = [];
  const lane = createGuardedLane({
    allow: ['127.0.0.1'],
    resolve: async (host) => (host === 'inside.example' ? ['10.0.0.1'] : []),
    onRefused: (reason) => void reasons.push(reason),
  });
  const server = await startOutsideServer();
  server.answerWith((_request, response) => response.writeHead(302, { location: '/' }).end());
  try {
    const request = (url: string, more = {}) => lane.request({ url, ...more }).catch(() => undefined);
    await request('http://10.0.0.1/');
    await request('http://inside.example/');
    await request('http://nowhere.example/');
    await request('ftp://example.com/');
    await request(server.url);
    await request(server.url, { method: 'TRACE' });
    await request(server.url, { headers: { connection: 'close' } });
    await request(server.url, { mayVisit: () => false });
    await lane.fetch('http://10.0.0.2/').catch(() => undefined);
    const { signal } = new AbortController();
    await lane.openSocket({ host: '10.0.0.3', port: 25, signal }).catch(() => undefined);
  } finally {
    await lane.close();
    await server.close();
  }
  const expected = [
    'address',
    'address',
    'url',
    'redirect',
    'method',
    'header',
    'host',
    'address',
    'address',
  ];
  expect(reasons).toEqual(expected);
});
