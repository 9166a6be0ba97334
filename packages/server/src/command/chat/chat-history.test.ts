import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openHistory } from './chat-history.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-history-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const never = (message: string) => {
  throw new Error(message);
};

it('keeps what was typed, for its owner alone', () => {
  const own = join(folder, 'config', 'svc');
  const first = openHistory(own, never);
  expect(first.lines).toEqual([]);
  first.add('one');
  first.add('two');
  expect(statSync(join(own, 'chat-history')).mode & 0o777).toBe(0o600);
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(openHistory(own, never).lines).toEqual(['two', 'one']);
});

it('takes the rights of others away, and does not grow for ever', () => {
  const path = join(folder, 'chat-history');
  writeFileSync(path, Array.from({ length: 2_500 }, (_, index) => `${index}\n`).join(''), { mode: 0o644 });
  const { lines } = openHistory(folder, never);
  expect(lines).toHaveLength(1_000);
  expect(lines[0]).toBe('2499');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1_001);
});

it('says once that nothing can be kept', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const problems: string[] = [];
  const history = openHistory(join(file, 'svc'), (message) => problems.push(message));
  history.add('one');
  expect(history.lines).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(/^What you type is not kept .*ENOTDIR/)]);
});
