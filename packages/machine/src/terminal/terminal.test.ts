import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';

const now = () => new Date(2026, 10, 16, 9, 5, 3);

describe('the terminal', () => {
  it('writes a line with the time', () =>
    expect(print({ isTTY: true, isPlain: true })).toBe('09:05:03  a\\nb\n'));
  it('has colors on a terminal', () =>
    expect(print({ isTTY: true, isPlain: false })).toBe('\u001b[31m09:05:03  a\\nb\u001b[0m\n'));
  it('has none in a file', () => expect(print({ isTTY: false, isPlain: false })).toBe('09:05:03  a\\nb\n'));
});

function print({ isTTY, isPlain }: { isTTY: boolean; isPlain: boolean }): string {
  const stream = Object.assign(new PassThrough(), { isTTY });
  createTerminal(stream, { isPlain, now }).line('a\nb', 'bad');
  return String(stream.read());
}
