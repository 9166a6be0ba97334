import { afterEach, expect, it, vi } from 'vitest';
import { registerLine } from './worklet.ts';

afterEach(() => vi.unstubAllGlobals());

type Process = (inputs: Float32Array[][], outputs: Float32Array[][]) => boolean;

/** The line of an audio thread with this rate, and what it posts to the page. */
function openLine(sampleRate: number) {
  const posted: [Int16Array, ...number[]][] = [];
  let send = (_message: { data: Int16Array | number }): void => undefined;
  let create: (new () => { process: Process }) | undefined;
  vi.stubGlobal('sampleRate', sampleRate);
  vi.stubGlobal(
    'AudioWorkletProcessor',
    class {
      port = {
        start: () => undefined,
        addEventListener(_name: string, listener: typeof send) {
          send = listener;
        },
        postMessage: ([frame, ...counts]: [Int16Array, ...number[]]) =>
          posted.push([frame.slice(), ...counts]),
      };
    },
  );
  vi.stubGlobal('registerProcessor', (_name: string, processor: typeof create) => {
    create = processor;
  });
  registerLine();
  if (!create) throw new Error('The processor was not registered.');
  const line = new create();
  return { posted, play: (data: Int16Array | number) => send({ data }), line };
}

const tone = (rate: number, length: number) =>
  Array.from({ length }, (_value, index) => Math.sin((2 * Math.PI * 400 * index) / rate) / 2);

it.each([8_000, 16_000, 44_100, 48_000])('records and plays a second on a device of %i Hz', (rate) => {
  const { posted, play, line } = openLine(rate);
  play(Int16Array.from(tone(16_000, 16_000), (sample) => sample * 32_767));
  const heard: number[] = [];
  const said = tone(rate, rate);
  for (let start = 0; start + 128 <= rate; start += 128) {
    const output = new Float32Array(128);
    line.process([[Float32Array.from(said.slice(start, start + 128))]], [[output]]);
    heard.push(...output);
  }
  expect(posted.length).toBeOneOf([49, 50]);
  expect(posted.at(-1)?.[2]).toBeGreaterThan(15_600);
  // A tone stays a tone of the same loudness, there and back.
  const recorded = posted.flatMap(([frame]) => [...frame]).map((sample) => sample / 32_767);
  for (const sound of [heard, recorded]) {
    const part = sound.slice(1_000);
    const power = part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length;
    expect(power).toBeGreaterThan(0.11);
    expect(power).toBeLessThan(0.13);
    expect(Math.max(...part.map(Math.abs))).toBeLessThan(0.52);
  }
});
