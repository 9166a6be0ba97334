import { expect, it } from 'vitest';
import { nameOfFile } from './name-of-file.ts';

it('names a bot after a file', () => {
  expect(nameOfFile('opening_hours-2026.pdf')).toBe('Opening hours 2026');
  expect(nameOfFile('Handbook v1.2.docx')).toBe('Handbook v1.2');
  expect(nameOfFile('手册.md')).toBe('手册');
  expect(nameOfFile('.pdf')).toBe('New bot');
});
