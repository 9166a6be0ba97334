import { describe, expect, it } from 'vitest';
import type { MediaDescription } from '../sdp/sdp.ts';
import { openUdpSocket } from '../udp-socket.ts';
import { createDigitReader, createMediaSession, digitPayloads } from './media-session.ts';
import type { Paced } from './pacer.ts';
import { createRemoteSource } from './remote-source.ts';
import { parseRtp, writeRtp } from './rtp-packet.ts';
import { createRtpSender } from './rtp-sender.ts';

describe('RTP packets', () => {
  it('are read as they were written, with extensions and padding left out', () => {
    const packet = { payloadType: 8, marker: true, sequence: 65_535, timestamp: 0xffff_fff0, source: 7 };
    const written = writeRtp({ ...packet, payload: Buffer.from('audio') });
    expect(parseRtp(written)).toEqual({ ...packet, payload: Buffer.from('audio') });
    const header = Buffer.from(written.subarray(0, 12));
    header.writeUInt8(0xb1, 0);
    const rest = Buffer.concat([
      Buffer.alloc(4),
      Buffer.from([0, 0, 0, 1]),
      Buffer.alloc(4),
      Buffer.from('hi\0\x02'),
    ]);
    expect(parseRtp(Buffer.concat([header, rest]))?.payload.toString()).toBe('hi');
    for (const broken of [
      Buffer.alloc(3),
      Buffer.alloc(12),
      header,
      Buffer.concat([header, Buffer.alloc(4, 0xff)]),
    ]) {
      expect(parseRtp(broken)).toBeUndefined();
    }
    // Reports of senders and receivers, on the same port.
    for (const type of [200, 201])
      expect(parseRtp(Buffer.from([0x80, type, 0, 6, ...Buffer.alloc(24, 9)]))).toBeUndefined();
  });
});

describe('digits', () => {
  it('are reported once per press, and sent as they are read', () => {
    const sender = createRtpSender();
    const reader = createDigitReader();
    const read = (digit: string) =>
      (digitPayloads(digit, 4) ?? []).map((payload, index) => {
        const packet = parseRtp(sender.event(101, payload, index === 0));
        return packet && reader.read(packet);
      });
    expect(read('5')).toEqual(['5', undefined, undefined, undefined, undefined, undefined]);
    expect(read('5')[0]).toBe('5');
    expect(read('#')[0]).toBe('#');
    expect(digitPayloads('x', 4)).toBeUndefined();
    expect(reader.read({ source: 1, timestamp: 1, payload: Buffer.alloc(2) })).toBeUndefined();
  });
});

describe('the source of packets', () => {
  it('is learned from those that may be learned, and kept while it is active', () => {
    let time = 0;
    const allowed = ['10.0.0.1', '10.0.0.2', '10.0.0.9'];
    const remote = createRemoteSource({ isAllowed: (address) => allowed.includes(address), now: () => time });
    remote.signal({ address: '10.0.0.1', port: 4_000 });
    expect(remote.accepts({ address: '10.6.6.6', port: 4_000 })).toBe(false);
    expect(remote.target).toEqual({ address: '10.0.0.1', port: 4_000 });
    expect(remote.accepts({ address: '10.0.0.9', port: 999 })).toBe(true);
    expect(remote.target).toEqual({ address: '10.0.0.9', port: 999 });
    expect(remote.accepts({ address: '10.0.0.1', port: 4_002 })).toBe(false);
    time = 2_500;
    expect(remote.accepts({ address: '10.6.6.6', port: 1 })).toBe(false);
    expect(remote.accepts({ address: '10.0.0.1', port: 4_002 })).toBe(true);
    remote.signal({ address: '10.0.0.2', port: 5_000 });
    expect(remote.target).toEqual({ address: '10.0.0.2', port: 5_000 });
    // It may name whom it wants.
    const other = { address: '10.6.6.6', port: 5_000 };
    remote.signal(other);
    expect(remote.target).toBeUndefined();
    expect(remote.accepts(other)).toBe(false);
  });

  it('moves at once when the other side says so, and not back with packets that were under way', () => {
    let time = 0;
    const remote = createRemoteSource({ isAllowed: (address) => address === '10.0.0.1', now: () => time });
    const [before, after] = [
      { address: '10.0.0.1', port: 4_000 },
      { address: '10.0.0.1', port: 5_000 },
    ];
    remote.signal(before);
    expect(remote.accepts(before)).toBe(true);
    remote.signal(after);
    expect(remote.accepts(before)).toBe(true);
    expect(remote.accepts({ address: '10.6.6.6', port: 5_000 })).toBe(false);
    expect(remote.target).toEqual(after);
    expect(remote.accepts(after)).toBe(true);
    expect(remote.accepts(before)).toBe(false);
    expect(remote.target).toEqual(after);
    // One that was learned gives way to the place that was signalled.
    time = 2_500;
    const translated = { address: '10.0.0.1', port: 6_000 };
    expect(remote.accepts(translated)).toBe(true);
    expect(remote.accepts(after)).toBe(true);
    expect(remote.target).toEqual(after);
    // A side that says it has moved and has not is heard, and is sent to where it is.
    remote.signal(before);
    expect(remote.accepts(after)).toBe(true);
    time = 5_500;
    expect(remote.accepts(after)).toBe(true);
    expect(remote.target).toEqual(after);
  });
});

it('audio that is sent nowhere is not encoded, so that the first packet is one after a pause', async () => {
  const host = '127.0.0.1';
  const open = () => openUdpSocket({ host, port: 0, onError: () => undefined });
  const [socket, other] = await Promise.all([open(), open()]);
  const received = new Promise<Buffer>((resolve) => other.onMessage(resolve));
  let line: Paced | undefined;
  const session = createMediaSession({
    ports: { socket, close: socket.close },
    pacer: {
      add(paced) {
        line = paced;
        return () => undefined;
      },
    },
    isAllowed: (address) => address === host,
    onBlocked: () => undefined,
    onError: () => undefined,
  });
  const agreedAt = (address: string) => ({
    address,
    port: other.port,
    send: { payloadType: 9, encoding: 'g722' as const },
    receive: new Map(),
    events: undefined,
    isListening: true,
    crypto: undefined,
    medium: {} as MediaDescription,
  });
  session.use(agreedAt('10.6.6.6'));
  line?.play(3);
  session.use(agreedAt(host));
  line?.play(1);
  expect(parseRtp(await received)).toMatchObject({ payloadType: 9, marker: true });
  session.close();
  other.close();
});
