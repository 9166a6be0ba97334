import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AudioFormat } from '../audio-format.ts';
import { agree, writeAnswer, writeOffer } from './negotiate.ts';
import { parseSdp } from './sdp.ts';

const local = {
  address: '10.0.0.9',
  port: 4_000,
  sessionId: 1,
  version: 2,
  srtp: 'off' as const,
  srtpKey: Buffer.alloc(30, 1),
};
const offerOf = (...lines: string[]) =>
  parseSdp(Buffer.from(['v=0', 'c=IN IP4 10.0.0.1', ...lines, ''].join('\r\n')));

describe('offers and answers', () => {
  it('take the first encoding that we know of those without wideband, and digits', () => {
    const offer = offerOf(
      'm=video 5000 RTP/AVP 99',
      'm=audio 6000 RTP/AVP 18 97 0 96',
      'c=IN IP4 10.0.0.2',
      'a=rtpmap:97 PCMA/8000/1',
      'a=rtpmap:96 telephone-event/8000',
    );
    const agreement = offer && agree(offer, 'off');
    expect(agreement).toMatchObject({
      address: '10.0.0.2',
      port: 6_000,
      send: { payloadType: 97, encoding: 'pcma' },
      events: 96,
      isListening: true,
    });
    if (!offer || !agreement) return;
    const answer = writeAnswer(local, offer, agreement).toString();
    expect(answer).toContain('m=video 0 RTP/AVP 99\r\nm=audio 4000 RTP/AVP 97 96\r\na=rtpmap:97 PCMA/8000');
    expect(parseSdp(writeOffer(local))?.media[0]?.encodings.get('101')).toBe('TELEPHONE-EVENT/8000');
  });

  it('take wideband wherever it is offered, unless the call has begun without', () => {
    const offer = offerOf('m=audio 6000 RTP/AVP 8 0 9 101', 'a=rtpmap:101 telephone-event/8000');
    const wide = offer && agree(offer, 'off');
    expect(wide?.send).toEqual({ payloadType: 9, encoding: 'g722' });
    expect(offer && wide && writeAnswer(local, offer, wide).toString()).toContain(
      'm=audio 4000 RTP/AVP 9 101\r\na=rtpmap:9 G722/8000\r\na=rtpmap:101 telephone-event/8000\r\n',
    );
    expect(offer && agree(offer, 'off', 'mulaw-8000')?.send).toEqual({ payloadType: 8, encoding: 'pcma' });
    // A call that began in wideband continues without it, and the other way round.
    const narrowOffer = offerOf('m=audio 6000 RTP/AVP 0');
    expect(narrowOffer && agree(narrowOffer, 'off', 'pcm16-16000')?.send.encoding).toBe('pcmu');
    const wideOffer = offerOf('m=audio 6000 RTP/AVP 97', 'a=rtpmap:97 G722/8000/1');
    const agreed = wideOffer && agree(wideOffer, 'off', 'mulaw-8000');
    expect(agreed?.send).toEqual({ payloadType: 97, encoding: 'g722' });
  });

  it('offer wideband first, unless the call has begun without', () => {
    const offered = (format?: AudioFormat) => writeOffer({ ...local, format }).toString();
    expect(offered()).toContain(
      'm=audio 4000 RTP/AVP 9 0 8 101\r\na=rtpmap:9 G722/8000\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\n',
    );
    expect(offered('pcm16-16000')).toBe(offered());
    expect(offered('mulaw-8000')).toContain('m=audio 4000 RTP/AVP 0 8 101\r\na=rtpmap:0 PCMU/8000\r\n');
    expect(offered('mulaw-8000')).not.toContain('G722');
  });

  it('take no payload type that packets cannot have, and no format that is a name', () => {
    const agreed = (formats: string, ...lines: string[]) => {
      const offer = offerOf(`m=audio 6000 RTP/AVP ${formats}`, ...lines);
      return offer && agree(offer, 'off');
    };
    for (const type of [72, 76, 128, 300, 999])
      expect(agreed(`${type}`, `a=rtpmap:${type} PCMU/8000`)).toBeUndefined();
    for (const type of [71, 77, 127])
      expect(agreed(`${type}`, `a=rtpmap:${type} PCMU/8000`)?.send.payloadType).toBe(type);
    const withKeys = agreed(
      '0 200 74 101',
      'a=rtpmap:200 telephone-event/8000',
      'a=rtpmap:74 telephone-event/8000',
    );
    expect(withKeys?.events).toBeUndefined();
    expect(agreed('constructor __proto__ toString')).toBeUndefined();
    expect(agreed('constructor 0')?.send.payloadType).toBe(0);
  });

  it.each([
    [['m=audio 6000 RTP/AVP 0', 'a=sendonly'], 'recvonly'],
    [['a=inactive', 'm=audio 6000 RTP/AVP 0'], 'inactive'],
    [['m=audio 6000 RTP/AVP 0', 'c=IN IP4 0.0.0.0'], 'inactive'],
  ])('understand %j as being put on hold', (lines, direction) => {
    const offer = offerOf(...lines);
    const agreement = offer && agree(offer, 'off');
    expect(agreement?.isListening).toBe(false);
    expect(offer && agreement && writeAnswer(local, offer, agreement).toString()).toContain(
      `a=${direction}\r\n`,
    );
  });

  // What a lenient parser reads as something else: see docs/decisions/0035-libraries-and-our-own.md.
  it.each([
    ['m=audio 6000 RTP/SAVP 0', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:KEY WSH=64 UNENCRYPTED_SRTP'],
    ['m=audio 6000 RTP/SAVP 0', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:KEY|2^20 -X KDR=1'],
    ['m=audio 6000 RTP/SAVP-X 0', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:KEY'],
  ])('are not encrypted by %s, %s', (...lines) => {
    const offer = offerOf(...lines.map((line) => line.replace('KEY', 'A'.repeat(40))));
    expect(offer && agree(offer, 'required')).toBeUndefined();
  });

  it('ignore what only begins like an attribute, and know port ranges', () => {
    const offer = offerOf(
      'm=audio 6000/2 RTP/AVP 96 0',
      'a=rtpmap:96 5/8000',
      'a=inactive-later',
      'c=IN IP4 host.example',
    );
    expect(offer && agree(offer, 'off')).toMatchObject({
      address: '10.0.0.1',
      port: 6_000,
      send: { payloadType: 0 },
      isListening: true,
    });
  });

  it('end in nothing where there is nothing in common', () => {
    for (const line of ['m=audio 6000 RTP/AVP 18', 'm=audio 6000 RTP/SAVP 0', 'm=audio 0 RTP/AVP 0']) {
      const offer = offerOf(line);
      expect(offer && agree(offer, 'off')).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseSdp(Buffer.from(`v=0\r\nm=audio 1 RTP/AVP 0\r\n${text}`));
        if (parsed) agree(parsed, 'off');
      }),
    );
  });
});
