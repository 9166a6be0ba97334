import { describe, expect, it } from 'vitest';
import { parseRtp, writeRtp } from './rtp-packet.ts';
import { applyCipher, createSrtpReceiver, createSrtpSender, deriveSessionKeys } from './srtp.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const master = hex('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6');
const other = Buffer.alloc(30, 7);
const full = 'AES_CM_128_HMAC_SHA1_80';
const short = 'AES_CM_128_HMAC_SHA1_32';
const packetOf = (sequence: number, source = 1) =>
  writeRtp({
    payloadType: 0,
    marker: false,
    timestamp: sequence * 160,
    source,
    sequence,
    payload: Buffer.from(`packet ${sequence}`),
  });

describe('SRTP', () => {
  it('derives the keys of RFC 3711, appendix B.3', () => {
    expect(deriveSessionKeys(master)).toEqual({
      cipher: hex('C61E7A93744F39EE10734AFE3FF7A087'),
      salt: hex('30CBBC08863D8C85D49DB34A9AE1'),
      authentication: hex('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'),
    });
  });

  it('makes the key stream of appendix B.2', () => {
    const cipher = hex('2B7E151628AED2A6ABF7158809CF4F3C');
    const salt = hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD');
    const zeros = Buffer.alloc(12 + 48);
    expect(applyCipher({ cipher, salt }, zeros, 0, 12).subarray(12)).toEqual(
      hex(
        'E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0',
      ),
    );
  });

  it('encrypts as other implementations do', () => {
    const plain = hex('800f1234decafbadcafebabe abababababababababababababababab');
    const encrypted = hex('800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb');
    expect(createSrtpSender(master)(plain, full)).toEqual(encrypted);
    expect(createSrtpReceiver(master, full)(encrypted)).toEqual(plain);
  });

  it('continues beyond 65,536 packets, with lost and late ones', () => {
    for (const suite of [full, short] as const) {
      const protect = createSrtpSender(master);
      const unprotect = createSrtpReceiver(master, suite);
      const sent = [65_520, 65_533, 65_534, 65_535, 0, 1, 40, 30_000, 60_000, 20_000].map((sequence) =>
        protect(packetOf(sequence), suite),
      );
      const order = [0, 1, 3, 5, 2, 4, 6, 7, 8, 9];
      const read = order.map((index) =>
        parseRtp(unprotect(sent[index] ?? Buffer.alloc(0)) ?? Buffer.alloc(0)),
      );
      expect(read.map((packet) => packet?.payload.toString())).toEqual(
        [65_520, 65_533, 65_535, 1, 65_534, 0, 40, 30_000, 60_000, 20_000].map(
          (number) => `packet ${number}`,
        ),
      );
    }
  });

  it('takes nothing twice, nothing old, nothing changed and nothing of another key', () => {
    const protect = createSrtpSender(master);
    const unprotect = createSrtpReceiver(master, full);
    const sent = Array.from({ length: 100 }, (_value, sequence) => protect(packetOf(sequence), full));
    const at = (index: number) => sent[index] ?? Buffer.alloc(0);
    expect(unprotect(at(50))).toBeDefined();
    expect(unprotect(at(50))).toBeUndefined();
    expect(unprotect(at(40))).toBeDefined();
    expect(unprotect(at(99))).toBeDefined();
    for (const index of [40, 50, 99, 35, 0]) expect(unprotect(at(index)), String(index)).toBeUndefined();
    expect(unprotect(at(36))).toBeDefined();
    const changed = Buffer.from(at(98));
    changed.writeUInt8(changed.readUInt8(15) ^ 1, 15);
    expect(unprotect(changed)).toBeUndefined();
    expect(unprotect(createSrtpSender(other)(packetOf(98), full))).toBeUndefined();
    expect(unprotect(packetOf(98))).toBeUndefined();
    for (const length of [0, 3, 9, 12, 21]) expect(unprotect(at(98).subarray(0, length))).toBeUndefined();
    expect(unprotect(at(98))).toBeDefined();
    // Another source has numbers of its own.
    expect(unprotect(createSrtpSender(master)(packetOf(50, 2), full))).toBeDefined();
  });
});
