import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { EgressFailed, unknownHost } from '../../src/egress/egress-error.ts';
import { createGuardedLane, type GuardedLaneOptions } from '../../src/egress/guarded-lane.ts';
import { patienceMs } from '../support/patience.ts';
import { testCertificate } from './certificate.ts';
import { startOutsideServer } from './support.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function openLane(options: GuardedLaneOptions) {
  const lane = createGuardedLane(options);
  opened.push(lane);
  return lane;
}

async function openServer(...options: Parameters<typeof startOutsideServer>) {
  const server = await startOutsideServer(...options);
  opened.push(server);
  return server;
}

describe('the guarded lane reaches', () => {
  it('what is allowed by address, range, host and port, and nothing else', async () => {
    const server = await openServer();
    const reach = async (allow: string, host: string) => {
      const lane = openLane({ allow: [allow], resolve: async () => ['127.0.0.1'] });
      return (await lane.request({ url: `http://${host}:${server.port}/` })).body.toString();
    };
    expect(await reach('127.0.0.1', '127.0.0.1')).toBe('hello');
    expect(await reach('127.0.0.1', '2130706433')).toBe('hello');
    expect(await reach('127.0.0.1', '[::ffff:127.0.0.1]')).toBe('hello');
    expect(await reach('127.0.0.0/8', 'localhost')).toBe('hello');
    expect(await reach(`127.0.0.1:${server.port}`, 'a.example')).toBe('hello');
    expect(await reach('a.example', 'A.EXAMPLE.')).toBe('hello');
    expect(await reach('*.bücher.example', 'laden.bücher.example')).toBe('hello');
    expect(await reach('metadata.google.internal', 'metadata.google.internal')).toBe('hello');
    for (const allow of ['127.0.0.2', '127.0.0.1:1', 'b.example', '*.a.example']) {
      await expect(reach(allow, 'a.example')).rejects.toEqual(unknownHost('a.example'));
    }
  });

  it('servers with method, headers and body, and returns status, headers and body', async () => {
    const server = await openServer();
    server.answerWith((_request, response) => {
      response.writeHead(418, { 'x-kettle': 'on', 'set-cookie': ['a=1', 'b=2'] }).end('tea');
    });
    const lane = openLane({ allow: ['127.0.0.1'] });
    const answer = await lane.request({
      url: `${server.url}/pot?size=2#lid`,
      method: 'put',
      headers: { 'X-Key': 'k' },
      body: 'water',
    });
    expect(answer).toMatchObject({ status: 418, url: `${server.url}/pot?size=2`, truncated: false });
    expect(answer.headers).toMatchObject({ 'x-kettle': 'on', 'set-cookie': 'a=1, b=2' });
    expect(answer.body.toString()).toBe('tea');
    const [received] = server.received;
    expect(received).toMatchObject({ method: 'PUT', path: '/pot?size=2', body: 'water' });
    expect(received?.headers).toMatchObject({ 'x-key': 'k', host: `127.0.0.1:${server.port}` });
  });

  it('the address that was checked: a name is resolved once, whatever it says next', async () => {
    const checked = await openServer({ host: '127.0.0.2' });
    const other = await openServer({ host: '127.0.0.1', port: checked.port });
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1']];
    let asked = 0;
    const lane = openLane({
      allow: ['127.0.0.2'],
      resolve: async () => answers[asked++] ?? [],
    });
    const url = `http://rebinding.example:${checked.port}/`;
    expect((await lane.request({ url })).status).toBe(200);
    expect(asked).toBe(1);
    expect(checked.received[0]?.headers.host).toBe(`rebinding.example:${checked.port}`);
    // A new connection is checked again.
    await lane.close();
    const second = openLane({ allow: ['127.0.0.2'], resolve: async () => answers[asked++] ?? [] });
    await expect(second.request({ url })).rejects.toEqual(unknownHost('rebinding.example'));
    await expect(second.fetch(url)).rejects.toThrow(unknownHost('rebinding.example').message);
    expect(asked).toBe(3);
    expect(other.connections()).toBe(0);
  });

  it('the next of several checked addresses when the first does not answer', async () => {
    const server = await openServer();
    const lane = openLane({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.3', '127.0.0.1'] });
    expect((await lane.request({ url: `http://two.example:${server.port}/` })).status).toBe(200);
  });

  it('https with the certificate of the name, not of the address', async () => {
    const server = await openServer({ secure: true });
    const lane = openLane({ allow: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] });
    const reach = (host: string) => lane.request({ url: `https://${host}:${server.port}/` });
    await expect(reach('secure.example')).rejects.toThrow('secure.example has no valid certificate');
    const before = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...before, testCertificate]);
    try {
      expect((await reach('secure.example')).body.toString()).toBe('hello');
      await expect(reach('other.example')).rejects.toThrow('other.example has no valid certificate');
    } finally {
      tls.setDefaultCACertificates(before);
    }
  });

  it('sockets of what is allowed', async () => {
    const server = await openServer();
    const lane = openLane({ allow: ['mail.example'], resolve: async () => ['127.0.0.1'] });
    const socket = await lane.openSocket({
      host: 'mail.example',
      port: server.port,
      signal: AbortSignal.timeout(patienceMs),
    });
    expect(socket.remotePort).toBe(server.port);
    socket.destroy();
  });

  it('nothing when it fails, and says so in a sentence without addresses', async () => {
    const server = await openServer();
    await server.close();
    opened.length = 0;
    const lane = openLane({
      allow: ['127.0.0.1'],
      resolve: async (host) => {
        if (host === 'gone.example')
          throw Object.assign(new Error('ENOTFOUND 10.0.0.53'), { code: 'ENOTFOUND' });
        return ['127.0.0.1'];
      },
    });
    const fail = (host: string) =>
      lane.request({ url: `http://${host}:${server.port}/` }).catch((error: Error) => error);
    expect(await fail('closed.example')).toEqual(new EgressFailed('closed.example refused the connection.'));
    expect(await fail('gone.example')).toEqual(unknownHost('gone.example'));
  });
});
