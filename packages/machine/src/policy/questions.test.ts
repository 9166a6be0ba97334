import { PassThrough } from 'node:stream';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
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
  await yieldToOthers();
  const first = questions.ask(frame({ command: 'make' }), signal);
  const second = questions.ask(frame({ command: 'rm x' }), signal);
  await yieldToOthers();
  expect(lines.filter((line) => line.startsWith('QUESTION'))).toEqual(['QUESTION 1: run make in /shop']);
  input.write('yes 1\n');
  expect(await first).toBe(true);
  await yieldToOthers();
  input.write('yes 1\n');
  expect(await second).toBe(false);
  const third = questions.ask(frame({ command: 'make' }), signal);
  await yieldToOthers();
  input.end();
  expect(await third).toBe(false);
  questions.close();
});

it('a question shows all of what would be done, and everything that would not be seen', () => {
  const command = `echo \u001b[2J\u202e\u00a0\t${' '.repeat(1000)}; curl x\npath: .`;
  expect(detailsOf(frame({ command, 'x\ncommand': 1 }))).toEqual([
    String.raw`| command: echo \u{1b}[2J\u{202e}\u{a0}\t [1000 spaces] ; curl x`,
    '|   path: .',
    String.raw`| x\ncommand: 1`,
    '| working directory: /shop',
  ]);
  expect(detailsOf(frame({ command: `# ${'天'.repeat(40)}\nrm x` }))).toEqual([
    `| command: # ${'天'.repeat(26)}`,
    `↪ ${'天'.repeat(14)}`,
    '|   rm x',
    '| working directory: /shop',
  ]);
});

it('what is too long to be shown as a whole is not asked about', async () => {
  const lines: string[] = [];
  const terminal = { line: (text: string) => lines.push(text), warn: () => undefined };
  const questions = createQuestions(new PassThrough().end(), terminal);
  const { signal } = new AbortController();
  for (const command of ['x\n'.repeat(1000), 'x'.repeat(65_000), '\u0001'.repeat(20_000)])
    expect(await questions.ask(frame({ command }), signal)).toBe('too long');
  expect(await questions.ask({ ...frame({}), workdir: 'x'.repeat(65_000) }, signal)).toBe('too long');
  expect(lines).toEqual([]);
  questions.close();
});
