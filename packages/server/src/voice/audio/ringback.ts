import { bytesPerMs, frameBytes, frameMs, silence } from './format.ts';
import { pcmToMulaw } from './g711.ts';

const format = 'mulaw-8000';
/** As in most of the world: a second of tone, then four of silence. */
const frequency = 425;
const toneMs = 1_000;
const cycleMs = 5_000;
const amplitude = 4_000;

/** What callers hear while another phone rings, frame by frame. */
export function createRingback(): () => Buffer {
  const rate = bytesPerMs(format) * 1_000;
  const samples = Int16Array.from({ length: (rate * toneMs) / 1_000 }, (_value, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * index) / rate)),
  );
  const tone = pcmToMulaw(samples);
  const quiet = silence(format, frameMs);
  let at = 0;
  return () => {
    const start = at * frameBytes(format);
    at = (at + 1) % (cycleMs / frameMs);
    return start < tone.length ? tone.subarray(start, start + frameBytes(format)) : quiet;
  };
}
