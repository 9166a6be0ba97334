import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ProgressStream } from './progress-stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function collect() {
  const frames: string[] = [];
  return { frames, stream: new ProgressStream((text) => frames.push(text)) };
}

it('sends the first output soon, and later output at most every 200 ms', () => {
  const { frames, stream } = collect();
  vi.advanceTimersByTime(1000);
  stream.push(Buffer.from('a'));
  vi.advanceTimersByTime(1);
  expect(frames).toEqual(['a']);
  stream.push(Buffer.from('b'));
  stream.push(Buffer.from('c'));
  vi.advanceTimersByTime(150);
  expect(frames).toEqual(['a']);
  vi.advanceTimersByTime(51);
  expect(frames).toEqual(['a', 'bc']);
  stream.push(Buffer.from('d'));
  stream.end();
  expect(frames).toEqual(['a', 'bc', 'd']);
  stream.push(Buffer.from('e'));
  vi.advanceTimersByTime(1000);
  expect(frames).toHaveLength(3);
});

it('never splits a character between frames', () => {
  const { frames, stream } = collect();
  for (const byte of Buffer.from('é😀\u{10FFFF}')) {
    stream.push(Buffer.from([byte]));
    vi.advanceTimersByTime(200);
  }
  stream.end();
  expect(frames).toEqual(['é', '😀', '\u{10FFFF}']);
});

it('skips what does not fit, and stops after 256 KB', () => {
  const { frames, stream } = collect();
  for (let count = 0; count < 100; count++) {
    stream.push(Buffer.from('x'.repeat(20_000)));
    vi.advanceTimersByTime(200);
  }
  stream.end();
  expect(frames[0]).toBe(`\n[… 11808 bytes skipped …]\n${'x'.repeat(8192)}`);
  expect(frames).toHaveLength(32);
  expect(frames.at(-1)).toContain('when the command has ended');
});
