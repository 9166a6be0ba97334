import { describe, expect, it } from 'vitest';
import { alawToMulaw, mulawToAlaw, mulawToPcm, pcmToMulaw } from './g711.ts';

describe('G.711', () => {
  it('has the values of the standard', () => {
    const samples = [...mulawToPcm(Buffer.from([0xff, 0x7f, 0x80, 0x00, 0xce]))];
    expect(samples.map((sample) => sample + 0)).toEqual([0, 0, 32_124, -32_124, 988]);
    expect([...pcmToMulaw(Int16Array.of(0, 32_767, -32_768, 988, -988))]).toEqual([
      0xff, 0x80, 0x00, 0xce, 0x4e,
    ]);
    expect([...mulawToAlaw(Buffer.from([0xff, 0x80, 0x00]))]).toEqual([0xd5, 0xaa, 0x2a]);
  });

  it('survives decoding and encoding', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_value, byte) => byte));
    // The standard has two zeros.
    const encoded = pcmToMulaw(mulawToPcm(all));
    expect([...encoded].filter((byte, index) => byte !== index)).toEqual([0xff]);
    for (const [index, byte] of alawToMulaw(mulawToAlaw(all)).entries()) {
      const [before = 0, after = 0] = mulawToPcm(Buffer.from([index, byte]));
      expect(Math.abs(before - after)).toBeLessThanOrEqual(Math.max(16, Math.abs(before) * 0.06));
    }
  });
});
