import { expect, it } from 'vitest';
import { writeWav } from '../../../../local-speech/test/write-wav.ts';
import { wavOf } from './wav.ts';

it('WAV files have the audio of a line', () => {
  const audio = { sampleRate: 16_000, samples: Int16Array.of(0, 1, -1, 32_767, -32_768) };
  const samples = Buffer.from(audio.samples.buffer);
  expect(wavOf('pcm16-16000', samples)).toEqual(writeWav(audio));
  const phone = wavOf('mulaw-8000', Buffer.from([1, 2, 3]));
  expect([phone.readUInt16LE(20), phone.readUInt32LE(24), phone.readUInt32LE(28)]).toEqual([7, 8_000, 8_000]);
  expect(phone.subarray(44)).toEqual(Buffer.from([1, 2, 3]));
});
