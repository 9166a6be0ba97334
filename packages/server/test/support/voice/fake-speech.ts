import { pcmToMulaw } from '@svc/sip/g711';
import { type AudioFormat, bytesPerMs, sampleRateOf } from '../../../src/voice/audio/format.ts';

/** How the fakes speak. */
export interface FakeSpeaking {
  /** From the request to the first audio. */
  firstAudioMs: number;
  msPerCharacter: number;
}

/** What a fake says of a text: a tone whose pitch depends on the text. Tests compare it byte by byte. */
export function speechOf(text: string, format: AudioFormat, msPerCharacter: number): Buffer {
  const rate = sampleRateOf(format);
  const count = Math.round((rate * msPerCharacter * text.length) / 1_000);
  const pitch = pitchOf(text);
  const samples = Int16Array.from({ length: count }, (_, index) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * pitch * index) / rate)),
  );
  return format === 'mulaw-8000' ? pcmToMulaw(samples) : Buffer.from(samples.buffer);
}

export function pitchOf(text: string): number {
  return 200 + (Buffer.from(text).reduce((sum, byte) => sum + byte, 0) % 200);
}

/** Pieces of 100 ms, as providers send them. */
export function inPieces(audio: Buffer, format: AudioFormat): Buffer[] {
  const size = 100 * bytesPerMs(format);
  return Array.from({ length: Math.ceil(audio.length / size) }, (_, index) =>
    audio.subarray(index * size, (index + 1) * size),
  );
}
