import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeRtp } from '@svc/sip/media/rtp-packet';
import { createSrtpSender } from '@svc/sip/media/srtp';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { CallNotPlaced } from '../../../src/voice/transports/call-transport.ts';
import { testCertificate, testCertificateKey } from '../../egress/certificate.ts';
import { mulawTone, mulawToneMs, readRecording, toneMs } from '../../support/voice/tones.ts';
import { freeUdpPorts } from '../../support/voice/udp-port.ts';
import { openTlsPeer } from './tls-peer.ts';
import { description, headerIn, openUdpPeer, request, toTagOf } from './udp-peer.ts';
import { phoneTone, useSip } from './use-sip.ts';

const stage = useSip();
const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };
const quiet = { keepAlive: 600_000, backoff: 20, maxBackoff: 40 };
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

/** The name that the certificate of the trunk is for. */
const secure = (port: number, more = {}) => ({
  trunk: { host: 'secure.example', port, tls: 'sip' as const },
  tlsCa: testCertificate,
  srtp: 'required' as const,
  ...more,
});
const lookUp = async () => ['127.0.0.1'];

async function open(more = {}, timers = {}) {
  const trunk = await openTlsPeer();
  closers.push(trunk.close);
  const sip = await stage.open(trunk.port, secure(trunk.port, more), { ...quiet, ...timers }, lookUp);
  return { trunk, ...sip };
}

const masterKey = Buffer.alloc(30, 9);
const key = masterKey.toString('base64');
const encrypted = (suites: string[], protocol = 'RTP/SAVP') =>
  description(40_000).replace('RTP/AVP', protocol) +
  suites.map((suite, index) => `a=crypto:${index + 1} ${suite} inline:${key}\r\n`).join('');
const overTls = (lines: string[]) => lines.join('\r\n').replace('SIP/2.0/UDP', 'SIP/2.0/TLS');

describe('a phone with TLS and SRTP', () => {
  it('is called, calls over the same connection, and talks in both directions', async () => {
    const phone = await stage.phone({ certificate: testCertificate + testCertificateKey });
    const { transport, exchange } = await stage.open(phone.tlsPort, secure(phone.tlsPort), quiet, lookUp);
    await transport.place(call);
    const { line, audio, digits } = await exchange.lineOf('out');
    line.send(mulawTone(1_000, 600));
    await expect.poll(() => line.playedMs).toBe(line.queuedMs);
    await phone.press('5');
    await expect.poll(() => digits).toEqual(['5']);
    await expect.poll(() => mulawToneMs(Buffer.concat(audio), phoneTone)).toBeGreaterThan(300);
    await phone.hangUp();
    expect(await exchange.endOf('out')).toEqual({ cause: 'remote_hangup' });
    await expect.poll(async () => (await phone.heard()).length).toBe(1);
    expect(toneMs(await readRecording((await phone.heard())[0] ?? ''), 1_000)).toBeGreaterThan(400);

    await phone.dial(`sip:+4930100@127.0.0.1:${transport.port};transport=tls`);
    const incoming = await exchange.lineOf('in-1');
    await expect.poll(() => mulawToneMs(Buffer.concat(incoming.audio), phoneTone)).toBeGreaterThan(200);
    incoming.line.hangUp();
    expect(await exchange.endOf('in-1')).toEqual({ cause: 'local_hangup' });
    await phone.printed(/terminated|closed/);
  });
});

describe('the connection to a trunk', () => {
  it('is the only way for requests, and comes back with another registration', async () => {
    const account = { username: 'svc', password: 'secret', isRegistering: true };
    const trunk = await openTlsPeer();
    closers.push(trunk.close);
    const timers = { ...quiet, trunkAnswer: 600_000 };
    const opened = stage.open(trunk.port, secure(trunk.port, account), timers, lookUp);
    const first = await trunk.next('REGISTER sip:secure.example');
    expect(headerIn(first, 'Via')).toMatch(/^SIP\/2\.0\/TLS 127\.0\.0\.1:\d+;/);
    trunk.reply(first, '401 Unauthorized', ['WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"']);
    const proven = await trunk.next('REGISTER');
    expect(headerIn(proven, 'Authorization')).toContain('realm="r"');
    trunk.reply(proven, '200 OK', ['Expires: 600']);
    const { transport, exchange } = await opened;
    expect(headerIn(proven, 'Contact')).toBe(`<sip:svc@127.0.0.1:${transport.port};transport=tls>`);

    // Its contact is not connected to.
    const stranger = await openTlsPeer();
    closers.push(stranger.close);
    const body = encrypted(['AES_CM_128_HMAC_SHA1_80']);
    const invite = request({ port: stranger.port }, 'INVITE', { body });
    trunk.send(overTls(invite));
    const answer = await trunk.next('SIP/2.0 200');
    trunk.send(overTls(request({ port: stranger.port }, 'ACK', { toTag: toTagOf(answer) })));
    const { line } = await exchange.lineOf('in-1');

    trunk.drop();
    const again = await trunk.next('REGISTER');
    expect(headerIn(again, 'Contact')).toBe(`<sip:svc@127.0.0.1:${transport.port};transport=tls>`);
    expect(headerIn(again, 'Contact')).not.toBe(headerIn(proven, 'Contact'));
    trunk.reply(again, '200 OK', ['Expires: 600']);
    line.hangUp();
    trunk.reply(await trunk.next(`BYE sip:peer@127.0.0.1:${stranger.port}`), '200 OK');
    expect([trunk.connections, stranger.connections]).toEqual([2, 0]);

    // Responses that would have come over a lost connection are not awaited.
    const refused = expect(transport.place(call)).rejects.toThrow('The trunk does not respond.');
    await trunk.next('INVITE');
    trunk.drop();
    await refused;
    await trunk.next('REGISTER');
    trunk.drop();
    trunk.reply(await trunk.next('REGISTER'), '200 OK');
  });

  it('is given up when what it brings cannot be read, and opened again', async () => {
    const { trunk } = await open();
    await expect.poll(() => trunk.connections).toBe(1);
    trunk.send(overTls(request({ port: 1 }, 'OPTIONS')));
    await trunk.next('SIP/2.0 200');
    trunk.send(`OPTIONS sip:a SIP/2.0\r\nX: ${'x'.repeat(20_000)}`);
    await expect.poll(() => trunk.connections).toBe(2);
    trunk.send(overTls(request({ port: 1 }, 'OPTIONS', { call: 'two' })));
    await trunk.next('SIP/2.0 200');
  });

  it('is not opened to a trunk without a trusted certificate', async () => {
    const trunk = await openTlsPeer();
    closers.push(trunk.close);
    for (const more of [
      { tlsCa: undefined },
      { trunk: { host: 'other.example', port: trunk.port, tls: 'sips' as const } },
      { trunk: { host: '127.0.0.1', port: trunk.port, tls: 'sips' as const } },
    ]) {
      const { transport } = await stage.open(trunk.port, secure(trunk.port, more), quiet, lookUp);
      await expect(transport.place(call)).rejects.toThrow(CallNotPlaced);
      await transport.stop();
      expect(trunk.received, JSON.stringify(more.trunk ?? 'no authority')).toEqual([]);
    }
    const sips = secure(trunk.port, { trunk: { host: 'secure.example', port: trunk.port, tls: 'sips' } });
    const { transport } = await stage.open(trunk.port, sips, quiet, lookUp);
    const placed = transport.place(call);
    const invite = await trunk.next('INVITE sips:+4930222@secure.example');
    expect(headerIn(invite, 'Contact')).toBe(`<sips:127.0.0.1:${transport.port}>`);
    trunk.reply(invite, '486 Busy Here');
    await placed;
  });

  it('makes packets by UDP worthless, even those of the trunk', async () => {
    const port = await freeUdpPorts();
    const { trunk, exchange } = await open({ listen: { host: '127.0.0.1', port } });
    await expect.poll(() => trunk.connections).toBe(1);
    const forger = await openUdpPeer();
    closers.push(() => forger.close());
    forger.send(port, request(forger, 'INVITE', { body: description(40_000) }));
    forger.send(port, request(forger, 'OPTIONS'));
    // The packets have arrived when the trunk was answered twice.
    for (const name of ['trunk-1', 'trunk-2']) {
      trunk.send(overTls(request({ port: 1 }, 'OPTIONS', { call: name })));
      await trunk.next('SIP/2.0 200');
    }
    expect(trunk.received.map((text) => headerIn(text, 'Call-ID'))).toEqual(['trunk-1', 'trunk-2']);
    expect(exchange.incomingCalls).toEqual([]);
    expect(forger.received).toEqual([]);
  });

  it('shows that calls are real, so that none has to give way', async () => {
    const min = await freeUdpPorts(2);
    const { trunk, exchange } = await open({ rtpPorts: { min, max: min + 1 } }, { confirmation: 1 });
    await expect.poll(() => trunk.connections).toBe(1);
    const body = encrypted(['AES_CM_128_HMAC_SHA1_80']);
    trunk.send(overTls(request({ port: 1 }, 'INVITE', { call: 'one', body })));
    const toTag = toTagOf(await trunk.next('SIP/2.0 200'));
    trunk.send(overTls(request({ port: 1 }, 'INVITE', { call: 'two', body })));
    expect(headerIn(await trunk.next('SIP/2.0 486'), 'Call-ID')).toBe('two');
    trunk.send(overTls(request({ port: 1 }, 'ACK', { call: 'one', toTag })));
    await exchange.lineOf('in-1');
    expect(exchange.confirmedCalls).toMatchObject([{ networkId: 'one' }]);
  });
});

describe('encrypted audio', () => {
  it('is agreed on with either cipher, and required unless the configuration says otherwise', async () => {
    const { trunk } = await open();
    const { trunk: lenient } = await open({ srtp: 'optional' });
    await expect.poll(() => trunk.connections + lenient.connections).toBe(2);
    const answerTo = async (peer: typeof trunk, name: string, body: string) => {
      peer.send(overTls(request({ port: 1 }, 'INVITE', { call: name, body })));
      await peer.next('SIP/2.0 100');
      return peer.next('SIP/2.0 ');
    };
    const final = async (peer: typeof trunk, name: string, body: string) => {
      const first = await answerTo(peer, name, body);
      return first.startsWith('SIP/2.0 180') ? peer.next('SIP/2.0 ') : first;
    };
    const both = ['AES_256_CM_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AES_CM_128_HMAC_SHA1_80'];
    const strong = await final(trunk, 'both', encrypted(both));
    expect(strong).toMatch(/m=audio \d+ RTP\/SAVP 0\r\na=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:\S{40}\r/);
    expect(strong).not.toContain(key);
    const short = await final(trunk, 'short', encrypted(['AES_CM_128_HMAC_SHA1_32']));
    expect(short).toContain('a=crypto:1 AES_CM_128_HMAC_SHA1_32 inline:');
    for (const [name, body] of [
      ['plain', description(40_000)],
      ['unknown', encrypted(['AES_256_CM_HMAC_SHA1_80'])],
      ['none', encrypted([])],
      ['unencrypted', encrypted(both).replaceAll(/\r\n$|(inline:\S+)/g, '$1 UNENCRYPTED_SRTP\r\n')],
    ] as const)
      expect(await final(trunk, name, body), name).toContain('SIP/2.0 488');
    expect(await final(lenient, 'plain', description(40_000))).toMatch(/m=audio \d+ RTP\/AVP 0\r/);
  });

  it('is offered, and an answer without it is not taken', async () => {
    const { trunk, transport } = await open({ srtp: 'optional' });
    const placed = expect(transport.place(call)).rejects.toThrow('no audio encoding in common');
    const invite = await trunk.next('INVITE');
    expect(invite).toMatch(
      /m=audio \d+ RTP\/SAVP 9 0 8 101\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\S{40}\r/,
    );
    const body = description(40_000);
    const repeated = invite.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
    const contact = ['Contact: <sip:peer@127.0.0.1:1>', 'Content-Type: application/sdp'];
    const lines = ['SIP/2.0 200 OK', ...repeated, ...contact, `Content-Length: ${body.length}`, '', body];
    trunk.send(lines.join('\r\n'));
    await trunk.next('ACK');
    trunk.reply(await trunk.next('BYE'), '200 OK');
    await placed;
  });

  it('is heard only if it is encrypted with the key that was agreed on', async () => {
    const { trunk, exchange } = await open();
    await expect.poll(() => trunk.connections).toBe(1);
    const suite = 'AES_CM_128_HMAC_SHA1_80';
    trunk.send(overTls(request({ port: 1 }, 'INVITE', { body: encrypted([suite]) })));
    const answer = await trunk.next('SIP/2.0 200');
    trunk.send(overTls(request({ port: 1 }, 'ACK', { toTag: toTagOf(answer) })));
    const { audio } = await exchange.lineOf('in-1');
    const port = Number(/m=audio (\d+)/.exec(answer)?.[1]);
    const sender = createSocket('udp4').bind(0, '127.0.0.1');
    closers.push(() => sender.close());
    await once(sender, 'listening');
    const encrypt = createSrtpSender(masterKey);
    for (let sequence = 0; sequence < 20; sequence += 1) {
      const isPlain = sequence < 10;
      const header = { payloadType: 0, marker: false, source: 7, sequence, timestamp: sequence * 160 };
      const packet = writeRtp({ ...header, payload: Buffer.alloc(160, isPlain ? 0x11 : 0x33) });
      sender.send(isPlain ? packet : encrypt(packet, suite), port, '127.0.0.1');
    }
    const heard = (byte: number) => audio.some((frame) => frame.includes(byte));
    await expect.poll(() => heard(0x33)).toBe(true);
    expect(heard(0x11)).toBe(false);
  });

  it('is refused where its keys would travel by UDP', async () => {
    const trunk = await openUdpPeer();
    closers.push(() => trunk.close());
    const { transport, exchange } = await stage.open(trunk.port, {}, quiet);
    const body = encrypted(['AES_CM_128_HMAC_SHA1_80']);
    trunk.send(transport.port, request(trunk, 'INVITE', { body }));
    expect(await trunk.next('SIP/2.0 488')).not.toContain('crypto');
    expect(exchange.incomingCalls).toEqual([]);
  });
});

it('is configured by the address of the trunk', () => {
  const read = (more: Record<string, string>) => () =>
    readConfig({ SVC_VOICE_TRANSPORT: 'sip', SIP_TRUNK_URI: 'sips:trunk.example', ...more });
  expect(read({})().voice).toMatchObject({ trunk: { host: 'trunk.example', tls: 'sips' }, srtp: 'required' });
  const plain = { SIP_TRUNK_URI: 'sip:trunk.example:5070;transport=tls', SIP_SRTP: 'off' };
  expect(read({ ...plain, SIP_TLS_CA: testCertificate })().voice).toMatchObject({
    trunk: { host: 'trunk.example', port: 5070, tls: 'sip' },
    srtp: 'off',
    tlsCa: testCertificate.trim(),
  });
  expect(read({ SIP_TRUNK_URI: 'sip:trunk.example;transport=udp' })().voice).toMatchObject({ srtp: 'off' });
  for (const more of [
    { SIP_TRUNK_URI: 'sips:trunk.example;transport=udp' },
    { SIP_TRUNK_URI: 'sip:trunk.example;transport=tcp' },
    { SIP_TRUNK_URI: 'sip:trunk.example', SIP_SRTP: 'required' },
    { SIP_SRTP: 'maybe' },
    { SIP_TLS_CA: 'not a certificate' },
    { SIP_ALLOWED_PEERS: '10.0.0.1' },
  ])
    expect(read(more), JSON.stringify(more)).toThrow(ConfigError);
});
