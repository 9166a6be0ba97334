import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { writeRtp } from '@svc/sip/media/rtp-packet';
import { sipTimers } from '@svc/sip/sip-timers';
import { afterAll, describe, expect, it } from 'vitest';
import type { RecordedExchange } from '../../support/voice/recorded-exchange.ts';
import { freeUdpPorts } from '../../support/voice/udp-port.ts';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './udp-peer.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();
const fast = { t1: 40, t2: 160, trunkAnswer: 600, keepAlive: 600_000, mediaSilence: 300, check: 200 };
const account = { username: 'svc', password: 'secret' };
const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };
const challenge = (realm: string) => `WWW-Authenticate: Digest realm="${realm}", nonce="n", qop="auth"`;
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

async function openPeer(address?: string): Promise<UdpPeer> {
  const peer = await openUdpPeer(address);
  closers.push(() => peer.close());
  return peer;
}

async function open(config = {}, timers = {}) {
  const trunk = await openPeer();
  return { trunk, ...(await stage.open(trunk.port, { ...account, ...config }, { ...fast, ...timers })) };
}

/** A bystander whose address is named in a call, and all that they receive. */
async function openBystander(address = '127.0.0.2', wantedPort = 0) {
  const socket = createSocket('udp4').bind(wantedPort, address);
  closers.push(() => socket.close());
  await once(socket, 'listening');
  const packets: Buffer[] = [];
  const marks = new Set<string>();
  socket.on('message', (data, { port, address: from }) => {
    const text = data.toString('latin1');
    if (text.startsWith('mark ')) return marks.add(text);
    packets.push(data);
    // A stranger asks for a password, whatever the request is.
    const repeated = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
    if (!text.startsWith('SIP/2.0') && repeated.length > 4)
      socket.send(
        ['SIP/2.0 401 Unauthorized', ...repeated, challenge('stranger'), '', ''].join('\r\n'),
        port,
        from,
      );
  });
  const { port } = socket.address();
  return {
    address,
    port,
    packets,
    socket,
    sdp: description(port).replaceAll('127.0.0.1', address),
    /** All that was sent here before this was called has arrived. */
    async arrived() {
      const mark = `mark ${Math.random()}`;
      const sender = createSocket('udp4');
      sender.send(mark, port, address, () => sender.close());
      await expect.poll(() => marks.has(mark)).toBe(true);
    },
  };
}

type Bystander = Awaited<ReturnType<typeof openBystander>>;

/** An INVITE that names a bystander wherever an address can be named. */
function forged(from: UdpPeer, { address, port, sdp }: Bystander, name = 'forged'): string[] {
  const lines = request(from, 'INVITE', { call: name, body: sdp });
  return lines
    .map((line) => (line.startsWith('m: ') ? `m: <sip:someone@${address}:${port}>` : line))
    .toSpliced(1, 0, `Record-Route: <sip:${address}:${port};lr>`);
}

/** The forged call is over, and was not taken for one. */
async function givenUp(exchange: RecordedExchange): Promise<void> {
  await expect.poll(() => exchange.released).toEqual(['forged']);
  expect(exchange.confirmedCalls).toEqual([]);
}
const sipText = (packets: Buffer[]) => packets.map(String).filter((text) => /^[A-Z]+ sip:/.test(text));

describe('a call with a forged sender', () => {
  it('has us send nothing to those that it names', async () => {
    const { trunk, transport, exchange } = await open();
    const bystander = await openBystander();
    trunk.send(transport.port, forged(trunk, bystander));
    await trunk.next('SIP/2.0 200');
    // Nor are they part of the call, whose requests would be answered.
    const bye = request(bystander, 'BYE', { call: 'forged', toTag: 'guessed' });
    bystander.socket.send(bye.join('\r\n'), transport.port, '127.0.0.1');
    await givenUp(exchange);
    await bystander.arrived();
    expect(bystander.packets.map(String)).toEqual([]);
    // The end is told to where the call came from.
    await trunk.next('BYE sip:someone@127.0.0.2');
    expect(exchange.lines.size).toBe(0);
  });

  it('is not confirmed by an acknowledgement that does not know our tag', async () => {
    const { trunk, transport, exchange } = await open();
    const bystander = await openBystander();
    trunk.send(transport.port, forged(trunk, bystander));
    await trunk.next('SIP/2.0 200');
    for (const toTag of ['', 'guessed'])
      trunk.send(transport.port, request(trunk, 'ACK', { call: 'forged', branch: 'INVITE-forged', toTag }));
    await givenUp(exchange);
    await bystander.arrived();
    expect(bystander.packets).toEqual([]);
  });

  it('is sent at most a second of audio, and all of it once it is confirmed', async () => {
    const { trunk, transport, exchange } = await open({}, { mediaSilence: 600_000 });
    const phone = await openBystander('127.0.0.1');
    trunk.send(transport.port, request(trunk, 'INVITE', { call: 'forged', body: phone.sdp }));
    await givenUp(exchange);
    await phone.arrived();
    expect(phone.packets.length).toBeGreaterThan(0);
    expect(phone.packets.length).toBeLessThanOrEqual(50);
    await trunk.next('BYE');
    phone.packets.length = 0;
    trunk.send(transport.port, request(trunk, 'INVITE', { call: 'real', body: phone.sdp }));
    const toTag = toTagOf(await trunk.next('SIP/2.0 200'));
    trunk.send(transport.port, request(trunk, 'ACK', { call: 'real', toTag }));
    await exchange.lineOf('in-1');
    await expect.poll(() => phone.packets.length).toBeGreaterThan(60);
  });
});

describe('calls with forged senders', () => {
  /** No timer ends a call, unless a test says so. */
  const slow = { ...sipTimers, keepAlive: 600_000, confirmation: 600_000 };

  async function openWith(pairs: number, timers = {}) {
    const min = await freeUdpPorts(pairs * 2);
    return open({ rtpPorts: { min, max: min + pairs * 2 - 1 } }, { ...slow, ...timers });
  }

  const invite = (trunk: UdpPeer, port: number, name: string) =>
    trunk.send(port, request(trunk, 'INVITE', { call: name, body: description(40_000) }));

  const about = (trunk: UdpPeer, start: string, name: string) =>
    trunk.received.filter((text) => text.startsWith(start) && headerIn(text, 'Call-ID') === name);

  async function answerTo(trunk: UdpPeer, name: string): Promise<string> {
    await expect.poll(() => about(trunk, 'SIP/2.0 200', name).length, { interval: 5 }).toBeGreaterThan(0);
    return about(trunk, 'SIP/2.0 200', name)[0] ?? '';
  }

  /** A call that is acknowledged as soon as it is answered. */
  async function callIn(trunk: UdpPeer, port: number, name: string): Promise<void> {
    invite(trunk, port, name);
    const toTag = toTagOf(await answerTo(trunk, name));
    trunk.send(port, request(trunk, 'ACK', { call: name, toTag }));
  }

  it('are answered again until they are given up after five seconds', async () => {
    const { confirmation } = sipTimers;
    const { trunk, transport, exchange } = await openWith(2, { confirmation });
    invite(trunk, transport.port, 'forged');
    await trunk.next('BYE');
    await givenUp(exchange);
    // After 0.5, 1.5 and 3.5 seconds. The fifth time would be after 7.5 seconds.
    const answers = about(trunk, 'SIP/2.0 200', 'forged').length;
    expect(answers).toBeGreaterThan(1);
    expect(answers).toBeLessThan(5);
    // Nor is it when BYE is sent for the fourth time, which is later.
    await expect.poll(() => about(trunk, 'BYE', 'forged').length).toBeGreaterThan(3);
    expect(about(trunk, 'SIP/2.0 200', 'forged').length).toBe(answers);
  });

  it('give their ports to others, the oldest first', async () => {
    const { trunk, transport, exchange } = await openWith(3);
    await callIn(trunk, transport.port, 'talking');
    const { ends } = await exchange.lineOf('in-1');
    for (const name of ['first', 'second', 'third']) {
      invite(trunk, transport.port, name);
      await answerTo(trunk, name);
    }
    expect(headerIn(await trunk.next('BYE'), 'Call-ID')).toBe('first');
    await callIn(trunk, transport.port, 'real');
    await exchange.lineOf('in-2');
    expect(headerIn(await trunk.next('BYE'), 'Call-ID')).toBe('second');
    // So they do for a call that we place.
    const placed = transport.place(call);
    trunk.reply(await trunk.next('INVITE'), '180 Ringing');
    await placed;
    await expect.poll(() => about(trunk, 'BYE', 'third').length).toBeGreaterThan(0);
    expect(exchange.released.toSorted()).toEqual(['first', 'real', 'second', 'talking', 'third']);
    // No established call has to end.
    invite(trunk, transport.port, 'more');
    await trunk.next('SIP/2.0 486');
    expect(ends).toEqual([]);
  });

  it('do not keep a caller away who comes with them', async () => {
    const { trunk, transport, exchange } = await openWith(10);
    for (let count = 0; count < 30; count += 1) invite(trunk, transport.port, `forged-${count}`);
    await callIn(trunk, transport.port, 'real');
    await exchange.lineOf('in-1');
    expect(trunk.received.filter((text) => text.startsWith('SIP/2.0 486'))).toEqual([]);
    expect(exchange.confirmedCalls).toMatchObject([{ networkId: 'real' }]);
  });

  it('are at most a hundred at a time', async () => {
    const { trunk, transport, exchange } = await openWith(110);
    for (let count = 0; count < 101; count += 1) {
      invite(trunk, transport.port, `forged-${count}`);
      await answerTo(trunk, `forged-${count}`);
    }
    await trunk.next('BYE');
    expect(exchange.released).toEqual(['forged-0']);
  });

  it('do not use up the answers that we give', async () => {
    const { trunk, transport, exchange } = await openWith(2);
    const answers = () => trunk.received.filter((text) => text.startsWith('SIP/2.0 481')).length;
    for (let count = 0; count < 5_100; count += 1) {
      trunk.send(transport.port, request(trunk, 'BYE', { call: `forged-${count}`, toTag: 'guessed' }));
      if (count % 50 === 49) await expect.poll(answers, { interval: 1 }).toBe(count + 1);
    }
    await callIn(trunk, transport.port, 'real');
    await exchange.lineOf('in-1');
  });

  it('are hung up if they turn out to be real, and to be one too many', async () => {
    const { trunk, transport, exchange } = await openWith(2);
    exchange.decide = () => ({ accept: false, reason: 'busy' });
    await callIn(trunk, transport.port, 'real');
    expect(headerIn(await trunk.next('BYE'), 'Call-ID')).toBe('real');
    expect(exchange.released).toEqual(['real']);
    expect(exchange.lines.size).toBe(0);
  });
});

describe('the password of the trunk', () => {
  it('is not proven to others, even within a call', async () => {
    const { trunk, transport, exchange } = await open();
    // The port is the trunk's, the address is not.
    const bystander = await openBystander('127.0.0.2', trunk.port);
    trunk.send(transport.port, forged(trunk, bystander, 'real'));
    const toTag = toTagOf(await trunk.next('SIP/2.0 200'));
    trunk.send(transport.port, request(trunk, 'ACK', { call: 'real', toTag }));
    (await exchange.lineOf('in-1')).line.hangUp();
    await expect.poll(() => sipText(bystander.packets).length).toBeGreaterThan(0);

    const placed = transport.place(call);
    trunk.reply(await trunk.next('INVITE'), '401 Unauthorized', [challenge('trunk')]);
    const proven = await trunk.next('INVITE');
    expect(headerIn(proven, 'Authorization')).toContain('realm="trunk"');
    const contact = `Contact: <sip:someone@${bystander.address}:${bystander.port}>`;
    trunk.reply(proven, '200 OK', [contact], description(40_000));
    await placed;
    (await exchange.lineOf('out')).line.hangUp();
    const methods = () => sipText(bystander.packets).map((text) => text.split(' ')[0]);
    await expect.poll(methods).toEqual(expect.arrayContaining(['ACK', 'BYE']));
    // Nothing is sent any more when this is over.
    await transport.stop();
    await bystander.arrived();
    expect(bystander.packets.map(String).filter((text) => /authorization/i.test(text))).toEqual([]);
  });

  it('is not proven to a sender who names the trunk instead of themselves', async () => {
    const { trunk, transport } = await open();
    const other = await openPeer();
    const named = `m: <sip:someone@127.0.0.1:${trunk.port}>`;
    const lines = request(other, 'INVITE', { call: 'forged', body: description(40_000) });
    other.send(
      transport.port,
      lines.map((line) => (line.startsWith('m: ') ? named : line)),
    );
    const bye = await other.next(`BYE sip:someone@127.0.0.1:${trunk.port}`);
    other.reply(bye, '401 Unauthorized', [challenge('trunk')]);
    // A proof would have been sent before the answer to this.
    other.send(transport.port, request(other, 'OPTIONS'));
    await other.next('SIP/2.0 200');
    expect([...other.received, ...trunk.received].filter((text) => /authorization/i.test(text))).toEqual([]);
  });

  it('is proven for the realm of the trunk only', async () => {
    // On a busy machine the trunk takes as long to answer as it likes.
    const patient = { trunkAnswer: 480_000 };
    const { trunk, transport, exchange } = await open({}, patient);
    const answer = async (callId: string, realms: string[]) => {
      const placed = transport.place({ ...call, callId });
      for (const realm of realms)
        trunk.reply(await trunk.next('INVITE'), '401 Unauthorized', [challenge(realm)]);
      trunk.reply(await trunk.next('INVITE'), '200 OK', [], description(40_000));
      await trunk.next('ACK');
      await placed;
      return (await exchange.lineOf(callId)).line;
    };
    (await answer('first', ['trunk'])).hangUp();
    const bye = await trunk.next('BYE');
    // The phone behind the trunk asks, and the trunk passes that on.
    trunk.reply(bye, '401 Unauthorized', [challenge('phone')]);
    (await answer('second', ['trunk'])).hangUp();
    trunk.reply(await trunk.next('BYE'), '200 OK');
    const refused = expect(transport.place({ ...call, callId: 'third' })).rejects.toThrow('401');
    trunk.reply(await trunk.next('INVITE'), '401 Unauthorized', [challenge('phone')]);
    await refused;
    expect(trunk.received.filter((text) => text.includes('realm="phone"'))).toEqual([]);

    const named = await open({ realms: ['named'] }, patient);
    const other = expect(named.transport.place(call)).rejects.toThrow('401');
    named.trunk.reply(await named.trunk.next('INVITE'), '401 Unauthorized', [challenge('trunk')]);
    await other;
    const rightly = expect(named.transport.place(call)).rejects.toThrow('403');
    const both = [challenge('trunk'), challenge('named')];
    named.trunk.reply(await named.trunk.next('INVITE'), '401 Unauthorized', both);
    const proven = await named.trunk.next('INVITE');
    expect(headerIn(proven, 'Authorization')).toContain('realm="named"');
    named.trunk.reply(proven, '403 Forbidden');
    await rightly;
  });
});

describe('a caller behind a trunk that passes requests on', () => {
  const behind = '<sip:mallory@127.0.0.66:5070>';

  /** A call that is confirmed, with the ways that the trunk and the caller have named. */
  async function answered(config: object, routes: (trunk: UdpPeer) => string[]) {
    const opened = await open(config);
    const { trunk, transport, exchange } = opened;
    const lines = request(trunk, 'INVITE', { call: 'real', body: description(40_000) })
      .map((line) => (line.startsWith('m: ') ? `m: ${behind}` : line))
      .toSpliced(1, 0, ...routes(trunk).map((route) => `Record-Route: ${route}`));
    trunk.send(transport.port, lines);
    const toTag = toTagOf(await trunk.next('SIP/2.0 200'));
    trunk.send(transport.port, request(trunk, 'ACK', { call: 'real', toTag }));
    (await exchange.lineOf('in-1')).line.hangUp();
    return { ...opened, bye: await trunk.next('BYE') };
  }
  const proofs = (trunk: UdpPeer) => trunk.received.filter((text) => /^(proxy-)?authorization:/im.test(text));

  it.each([
    ['which is not named', [], 'mallory', (trunk: UdpPeer) => [`<sip:127.0.0.1:${trunk.port};lr>`]],
    ['which is named', ['trunk'], 'trunk', (trunk: UdpPeer) => [`<sip:127.0.0.1:${trunk.port};lr>`]],
    ['over a strict route', ['trunk'], 'trunk', (trunk: UdpPeer) => [`<sip:127.0.0.1:${trunk.port}>`]],
  ])('gets no proof of the password for a realm %s', async (_what, realms, realm, routes) => {
    const { trunk, transport, exchange, bye } = await answered({ realms }, routes);
    trunk.reply(bye, '401 Unauthorized', [challenge(realm)]);
    // Nor is the realm taken for that of the trunk.
    const placed = transport.place(call);
    trunk.reply(await trunk.next('INVITE'), '401 Unauthorized', [challenge('trunk')]);
    expect(proofs(trunk)).toEqual([]);
    const proven = await trunk.next('INVITE');
    expect(headerIn(proven, 'Authorization')).toContain('realm="trunk"');
    const record = routes(trunk).map((route) => `Record-Route: ${route}`);
    trunk.reply(proven, '200 OK', [`Contact: ${behind}`, ...record], description(40_000));
    await placed;
    (await exchange.lineOf('out')).line.hangUp();
    trunk.reply(await trunk.next('BYE'), '407 Proxy Authentication Required', [
      challenge(realm).replace('WWW', 'Proxy'),
    ]);
    // Nothing is sent any more when this is over. The acknowledgement has no proof either.
    await transport.stop();
    expect(new Set(proofs(trunk))).toEqual(new Set([proven]));
  });

  it('does not have us take its realm for that of the trunk, even in the name of the trunk', async () => {
    const { trunk, transport, exchange } = await open();
    trunk.send(transport.port, request(trunk, 'INVITE', { call: 'real', body: description(40_000) }));
    const toTag = toTagOf(await trunk.next('SIP/2.0 200'));
    trunk.send(transport.port, request(trunk, 'ACK', { call: 'real', toTag }));
    (await exchange.lineOf('in-1')).line.hangUp();
    trunk.reply(await trunk.next('BYE'), '401 Unauthorized', [challenge('other')]);
    trunk.reply(await trunk.next('BYE'), '200 OK');
    const refused = expect(transport.place(call)).rejects.toThrow('403');
    trunk.reply(await trunk.next('INVITE'), '401 Unauthorized', [challenge('trunk')]);
    const proven = await trunk.next('INVITE');
    expect(headerIn(proven, 'Authorization')).toContain('realm="trunk"');
    trunk.reply(proven, '403 Forbidden');
    await refused;
  });
});

describe('audio', () => {
  /** A call that is confirmed, with audio elsewhere than at the trunk. */
  async function confirmed(config = {}) {
    const opened = await open(config, { mediaSilence: 600_000 });
    const { trunk, transport, exchange } = opened;
    const gateway = await openBystander();
    trunk.send(transport.port, request(trunk, 'INVITE', { body: gateway.sdp }));
    const answer = await trunk.next('SIP/2.0 200');
    trunk.send(transport.port, request(trunk, 'ACK', { toTag: toTagOf(answer) }));
    const { audio } = await exchange.lineOf('in-1');
    const port = Number(/m=audio (\d+)/.exec(answer)?.[1]);
    return { ...opened, gateway, audio, speak: (from: Socket, byte: number) => speak(from, port, byte) };
  }

  function speak(from: Socket, port: number, byte: number): void {
    for (let sequence = 0; sequence < 10; sequence += 1) {
      const header = { payloadType: 0, marker: false, source: byte, sequence, timestamp: sequence * 160 };
      from.send(writeRtp({ ...header, payload: Buffer.alloc(160, byte) }), port, '127.0.0.1');
    }
  }
  const heard = (audio: Buffer[], byte: number) => audio.some((frame) => frame.includes(byte));

  it('goes to and comes from the trunk only', async () => {
    const { gateway, audio, speak: send } = await confirmed();
    const translated = await openBystander('127.0.0.1');
    send(gateway.socket, 0x11);
    // The trunk's own address is learned, whatever it says.
    send(translated.socket, 0x22);
    await expect.poll(() => translated.packets.length).toBeGreaterThan(5);
    await expect.poll(() => heard(audio, 0x22)).toBe(true);
    await gateway.arrived();
    expect(gateway.packets).toEqual([]);
    expect(heard(audio, 0x11)).toBe(false);
  });

  it('goes to and comes from the gateways that the configuration names, too', async () => {
    const { gateway, audio, speak: send } = await confirmed({ mediaPeers: ['127.0.0.2/32'] });
    send(gateway.socket, 0x11);
    await expect.poll(() => gateway.packets.length).toBeGreaterThan(5);
    await expect.poll(() => heard(audio, 0x11)).toBe(true);
  });
});
