import { describe, expect, it } from 'vitest';
import { writeWav } from '../test/write-wav.ts';
import { readWav } from './wav.ts';

const audio = { sampleRate: 16_000, samples: Int16Array.of(0, 1, -1, 32_767, -32_768) };

describe('WAV files', () => {
  it('are read as they were written', () => {
    expect(readWav(writeWav(audio))).toEqual(audio);
  });

  it('may promise more than they have', () => {
    const file = writeWav(audio);
    file.writeUInt32LE(0x7fff_f000, 40);
    expect(readWav(file)).toEqual(audio);
    file.writeUInt32LE(0, 40);
    expect(readWav(file)).toEqual(audio);
    expect(readWav(file.subarray(0, 49))?.samples).toEqual(audio.samples.slice(0, 2));
  });

  it('may have other chunks before the samples', () => {
    const file = writeWav(audio);
    const note = Buffer.from([...Buffer.from('LIST'), 3, 0, 0, 0, 1, 2, 3, 0]);
    expect(readWav(Buffer.concat([file.subarray(0, 36), note, file.subarray(36)]))).toEqual(audio);
  });

  it('are nothing else', () => {
    const file = writeWav(audio);
    for (const length of [0, 11, 12, 30, 40]) expect(readWav(file.subarray(0, length))).toBeUndefined();
    const stereo = writeWav(audio);
    stereo.writeUInt16LE(2, 22);
    const floats = writeWav(audio);
    floats.writeUInt16LE(3, 20);
    const bytes = writeWav(audio);
    bytes.writeUInt16LE(8, 34);
    for (const other of [stereo, floats, bytes, Buffer.alloc(100)]) expect(readWav(other)).toBeUndefined();
  });
});
