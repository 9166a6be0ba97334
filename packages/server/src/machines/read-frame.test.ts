import { maxFrameBytes } from '@svc/contract/machine-protocol';
import { expect, it } from 'vitest';
import { newId } from '../lib/new-id.ts';
import { readFrame } from './read-frame.ts';

const read = (text: string) => readFrame(Buffer.from(text), false);
const result = (value: unknown) => ({ type: 'result', id: newId(), outcome: { status: 'ok', value } });

it('reads a frame, with text that looks like JSON inside', () => {
  const frame = result({ text: `"[{,\\"\\\\${'[['.repeat(100_000)}`, more: ['\\', '"', '\\"'] });
  expect(read(JSON.stringify(frame))).toEqual(frame);
});

it('ignores fields that it does not know', () => {
  const frame = { ...result(null), later: true };
  expect(read(JSON.stringify(frame))).toEqual(frame);
});

it.each([
  ['', 'not JSON'],
  ['null', 'not one that this protocol has'],
  ['{"type":"operation"}', 'not one that this protocol has'],
  ['{"type":"result","id":"x","outcome":{"status":"ok","value":1}}', 'not one that this protocol has'],
  [`{"type":"progress","id":"${newId()}","text":7}`, 'not one that this protocol has'],
  ['"unfinished', 'not JSON'],
  ['"unfinished\\"', 'not JSON'],
  ['['.repeat(65), 'too many values'],
])('refuses %s', (text, problem) => {
  expect(read(text)).toEqual({ problem: expect.stringContaining(problem) as string });
});

it('replaces what cannot be stored', () => {
  const frame = result({ '\0': ['a\0b', 'c\ud800', 7, null, '😀'] });
  expect(read(JSON.stringify(frame))).toEqual({
    ...frame,
    outcome: { status: 'ok', value: { '\ufffd': ['a\ufffdb', 'c\ufffd', 7, null, '😀'] } },
  });
});

it('refuses binary frames', () => {
  expect(readFrame(Buffer.from('{}'), true)).toEqual({
    problem: expect.stringContaining('binary') as string,
  });
});

it.each([
  ['arrays', '[],'.repeat(maxFrameBytes / 3)],
  ['nesting', '['.repeat(maxFrameBytes)],
  ['objects', '{"a":1},'.repeat(maxFrameBytes / 8)],
])('does not parse a frame full of %s', (_name, text) => {
  expect(read(`[${text}`)).toEqual({ problem: expect.stringContaining('too many values') as string });
});
