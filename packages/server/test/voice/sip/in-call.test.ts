import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createDecoder, createEncoder, type Encoding } from '@svc/sip/media/codec';
import { parseRtp, type RtpPacket, writeRtp } from '@svc/sip/media/rtp-packet';
import { sipTimers } from '@svc/sip/sip-timers';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeAudio, encodeAudio } from '../../../src/voice/audio/line-audio.ts';
import { dialSeconds } from '../../../src/voice/transports/twilio/transfer-attempt.ts';
import { mulawTone, mulawToneMs, toneMs, wideTone } from '../../support/voice/tones.ts';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './udp-peer.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();
const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };
const fast = { t1: 40, t2: 160, trunkAnswer: 600, keepAlive: 600_000 };
const peers: UdpPeer[] = [];

afterAll(() => {
  for (const peer of peers) peer.close();
});

async function open(timers = {}) {
  const peer = await openUdpPeer();
  peers.push(peer);
  return { peer, ...(await stage.open(peer.port, {}, { ...fast, ...timers })) };
}

describe('calls that were answered', () => {
  async function answered() {
    const opened = await open();
    const { peer, transport, exchange } = opened;
    const placed = transport.place(call);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '200 OK', [], description(40_000));
    await peer.next('ACK');
    await placed;
    const { line } = await exchange.lineOf('out');
    const tag = /;tag=([^;\s]+)/.exec(headerIn(invite, 'From'))?.[1] ?? '';
    /** A request of the phone within the call. */
    const within = (method: string, cseq: number, body = '') =>
      request(peer, method, {
        call: headerIn(invite, 'Call-ID'),
        toTag: tag,
        cseq,
        branch: `${method}${cseq}`,
        body,
      }).map((text) => (text.startsWith(' ;tag=') ? ' ;tag=peer' : text));
    return { ...opened, line, within };
  }

  it('end if a change of theirs is not acknowledged, and not by an old acknowledgement', async () => {
    const { peer, transport, exchange, within } = await answered();
    peer.send(transport.port, within('INVITE', 1, description(40_002)));
    expect(await peer.next('SIP/2.0 200')).toContain('m=audio');
    peer.send(transport.port, within('ACK', 1));
    // The offer is left to us, and the first acknowledgement arrives once more.
    peer.send(transport.port, within('INVITE', 2));
    await peer.next('SIP/2.0 200');
    peer.send(transport.port, within('ACK', 1));
    peer.send(transport.port, within('ACK', 2, description(40_004)));
    peer.send(transport.port, within('OPTIONS', 3));
    await peer.next('SIP/2.0 200');
    expect(exchange.lines.get('out')?.ends).toEqual([]);
    peer.send(transport.port, within('INVITE', 4, description(40_006)));
    expect(await exchange.endOf('out')).toMatchObject({ detail: 'Our answer was not acknowledged.' });
    await peer.next('BYE');
  });

  it('hear from a phone that speaks to us directly, and from no other address', async () => {
    const phone = await openUdpPeer('127.0.0.2');
    const stranger = await openUdpPeer('127.0.0.3');
    peers.push(phone, stranger);
    const contact = `Contact: <sip:phone@127.0.0.2:${phone.port}>`;
    const opened = await open();
    const { peer, transport, exchange } = opened;
    const placed = transport.place(call);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '200 OK', [contact], description(40_000));
    await phone.next('ACK');
    await placed;
    await exchange.lineOf('out');
    const tag = /;tag=([^;\s]+)/.exec(headerIn(invite, 'From'))?.[1] ?? '';
    const bye = request(phone, 'BYE', { call: headerIn(invite, 'Call-ID'), toTag: tag }).map((text) =>
      text.startsWith(' ;tag=') ? ' ;tag=peer' : text,
    );
    phone.send(transport.port, request(phone, 'INVITE', { call: 'new', body: description(40_000) }));
    phone.send(transport.port, Buffer.from('INVITE nonsense SIP/2.0\r\n\r\n'));
    stranger.send(transport.port, bye);
    phone.send(transport.port, bye);
    await phone.next('SIP/2.0 200');
    expect(await exchange.endOf('out')).toEqual({ cause: 'remote_hangup' });
    expect(phone.received.filter((text) => text.startsWith('SIP/2.0'))).toHaveLength(1);
    expect(stranger.received).toEqual([]);
    expect(exchange.incomingCalls).toEqual([]);
  });

  it.each([
    ['pcmu', '0'],
    ['g722', '9'],
  ] as const)(
    'hear a tone in %s while the number that they are passed on to rings',
    async (encoding, formats) => {
      const { peer, line, exchange, transport } = await answered();
      const heard = createSocket('udp4').bind(0, '127.0.0.1');
      await once(heard, 'listening');
      const audio: Buffer[] = [];
      const decode = createDecoder(encoding, 'mulaw-8000');
      heard.on('message', (packet) => audio.push(decode(packet.subarray(12))));
      const isTone = () => mulawToneMs(Buffer.concat(audio), 425) > 100;
      peer.send(
        transport.port,
        request(peer, 'INVITE', { body: description(heard.address().port, formats) }),
      );
      const toTag = toTagOf(await peer.next('SIP/2.0 200'));
      peer.send(transport.port, request(peer, 'ACK', { toTag }));
      const inbound = await exchange.lineOf('in-1');
      line.hangUp();
      peer.reply(await peer.next('BYE'), '200 OK');
      const transferred = inbound.line.transfer('+4930333');
      peer.reply(await peer.next('REFER'), '405 Method Not Allowed');
      const second = await peer.next('INVITE sip:+4930333@');
      expect(isTone()).toBe(false);
      peer.reply(second, '180 Ringing');
      await expect.poll(isTone).toBe(true);
      expect(inbound.line.playedMs).toBe(0);
      peer.reply(second, '486 Busy Here');
      await expect(transferred).rejects.toThrow('486');
      audio.length = 0;
      await expect.poll(() => audio.length).toBeGreaterThan(5);
      expect(mulawToneMs(Buffer.concat(audio.slice(2)), 425)).toBe(0);
      inbound.line.hangUp();
      heard.close();
    },
  );

  it('continue when they lose wideband and get it back', async () => {
    const { peer, exchange, transport } = await open();
    const heard = createSocket('udp4').bind(0, '127.0.0.1');
    await once(heard, 'listening');
    const packets: RtpPacket[] = [];
    heard.on('message', (data) => {
      const packet = parseRtp(data);
      if (packet) packets.push(packet);
    });
    const ownPort = heard.address().port;
    let sequence = 0;
    /** The phone offers these formats, and both sides then send a tone. */
    const talk = async (cseq: number, formats: string, encoding: Encoding, toTag?: string) => {
      const ids = { cseq, branch: `wide${cseq}` };
      peer.send(
        transport.port,
        request(peer, 'INVITE', { ...ids, ...(toTag && { toTag }), body: description(ownPort, formats) }),
      );
      const answer = await peer.next('SIP/2.0 200', `CSeq: ${cseq} INVITE`);
      const tag = toTagOf(answer);
      peer.send(transport.port, request(peer, 'ACK', { cseq, branch: `ack${cseq}`, toTag: tag }));
      const { line, audio } = await exchange.lineOf('in-1');
      expect(line.format).toBe('pcm16-16000');
      const port = Number(/m=audio (\d+)/.exec(answer)?.[1]);
      const encode = createEncoder(encoding, line.format);
      const decode = createDecoder(encoding, line.format);
      const payloadType = { pcmu: 0, pcma: 8, g722: 9 }[encoding];
      const frames = encodeAudio(line.format, wideTone(1_000, 400));
      audio.length = packets.length = 0;
      for (let at = 0; at < frames.length; at += 640, sequence += 1) {
        const payload = encode(frames.subarray(at, at + 640));
        const header = { marker: false, source: 1, sequence, timestamp: sequence * 160 };
        heard.send(writeRtp({ ...header, payloadType, payload }), port, '127.0.0.1');
        await delay(20);
      }
      const heardMs = (sound: Buffer) => toneMs(decodeAudio(line.format, sound), 1_000, 16_000);
      await expect.poll(() => heardMs(Buffer.concat(audio))).toBeGreaterThan(300);
      line.send(frames);
      const received = () => packets.filter((packet) => packet.payloadType === payloadType);
      await expect
        .poll(() => heardMs(Buffer.concat(received().map(({ payload }) => decode(payload)))))
        .toBeGreaterThan(300);
      return { answer, tag };
    };
    const { answer, tag } = await talk(1, '8 0 9', 'g722');
    expect(answer).toContain('RTP/AVP 9\r\na=rtpmap:9 G722/8000\r\n');
    expect((await talk(2, '0', 'pcmu', tag)).answer).toContain('RTP/AVP 0\r\n');
    expect((await talk(3, '8', 'pcma', tag)).answer).toContain('RTP/AVP 8\r\n');
    expect((await talk(4, '0 9', 'g722', tag)).answer).toContain('RTP/AVP 9\r\n');
    exchange.lines.get('in-1')?.line.hangUp();
    heard.close();
  });

  it('are back when the number that they are passed on to rings too long', async () => {
    const { peer, transport, exchange } = await open({ transferRing: 100 });
    peer.send(transport.port, request(peer, 'INVITE', { body: description(40_000) }));
    peer.send(transport.port, request(peer, 'ACK', { toTag: toTagOf(await peer.next('SIP/2.0 200')) }));
    const { line, ends } = await exchange.lineOf('in-1');
    const transferred = expect(line.transfer('+4930333')).rejects.toThrow('no_answer');
    peer.reply(await peer.next('REFER'), '405 Method Not Allowed');
    const second = await peer.next('INVITE sip:+4930333@');
    peer.reply(second, '180 Ringing');
    peer.reply(await peer.next('CANCEL sip:+4930333@'), '200 OK');
    peer.reply(second, '487 Request Terminated');
    await transferred;
    expect(ends).toEqual([]);
    // As the guide says, with every network.
    expect([sipTimers.transferRing, dialSeconds * 1_000]).toEqual([30_000, 30_000]);
  });
});

it('hears a key once, even if its packets come as a source of their own, and reports in between', async () => {
  const { peer, transport, exchange } = await open();
  const body =
    description(40_000).replace('RTP/AVP 0', 'RTP/AVP 0 97') + 'a=rtpmap:97 telephone-event/8000\r\n';
  peer.send(transport.port, request(peer, 'INVITE', { body }));
  const answer = await peer.next('SIP/2.0 200');
  expect(answer).toContain('a=rtpmap:97 telephone-event/8000');
  peer.send(transport.port, request(peer, 'ACK', { toTag: toTagOf(answer) }));
  const { digits, audio } = await exchange.lineOf('in-1');
  const port = Number(/m=audio (\d+)/.exec(answer)?.[1]);
  const header = { marker: false, timestamp: 800 };
  const report = Buffer.from([0x80, 200, 0, 6, ...Buffer.alloc(24, 7)]);
  for (let sequence = 0; sequence < 25; sequence += 1) {
    const voice = { ...header, payloadType: 0, source: 1, sequence, timestamp: sequence * 160 };
    peer.send(port, writeRtp({ ...voice, payload: mulawTone(600, 20) }));
    const key = { ...header, payloadType: 97, source: 2, sequence };
    peer.send(port, writeRtp({ ...key, payload: Buffer.from([5, 10, 0, sequence]) }));
    peer.send(port, report);
    await delay(20);
  }
  // A buffer that started over with each packet of the other source would have lost most of it.
  await expect.poll(() => mulawToneMs(Buffer.concat(audio), 600)).toBeGreaterThan(250);
  expect(digits).toEqual(['5']);
});
