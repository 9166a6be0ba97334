import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { OperationFrame } from '@svc/contract/machine-protocol';
import { expect, it } from 'vitest';
import { createQuestions, detailsOf } from './questions.ts';

const frame = (given: Record<string, unknown>): OperationFrame => ({
  type: 'operation',
  id: '0198c2a4-7d10-7c3e-9f4e-000000000001',
  name: 'run_command',
  workdir: '/shop',
  arguments: given,
  requested_by: { bot: 'Fixer', conversation_id: null },
});

it('what is typed before there is a question does not answer it, nor one that is asked later', async () => {
  const input = new PassThrough();
  const lines: string[] = [];
  const questions = createQuestions(input, { line: (text) => lines.push(text), warn: () => undefined });
  const { signal } = new AbortController();
  input.write('yes 1\nyes 2\n');
  await turn();
  const first = questions.ask(frame({ command: 'make' }), signal);
  const second = questions.ask(frame({ command: 'rm x' }), signal);
  await turn();
  expect(lines.filter((line) => line.startsWith('QUESTION'))).toEqual(['QUESTION 1: run make in /shop']);
  input.write('yes 1\n');
  expect(await first).toBe(true);
  await turn();
  input.write('yes 1\n');
  expect(await second).toBe(false);
  const third = questions.ask(frame({ command: 'make' }), signal);
  await turn();
  input.end();
  expect(await third).toBe(false);
  questions.close();
});

it('a question shows what would be done, bounded and without control characters', () => {
  const lines = detailsOf(frame({ command: `echo \u001b[2J\n${'x\n'.repeat(500)}` }));
  expect(lines[0]).toBe('command: echo \\u{1b}[2J');
  expect(lines).toHaveLength(61);
  expect(lines.at(-1)).toMatch(/more lines that are not shown/);
});
