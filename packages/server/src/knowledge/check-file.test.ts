import { describe, expect, it } from 'vitest';
import { refusalOf } from './check-file.ts';

const offer = (filename: string, content: Buffer | string, isTooLarge = false) => {
  const bytes = Buffer.from(content as string);
  return refusalOf({ filename, size: bytes.length, isTooLarge, bytes: () => bytes });
};

describe('a file is taken', () => {
  it.each([
    ['notes.txt', 'plain'],
    ['NOTES.TXT', 'plain'],
    ['a.b.md', '# Title'],
    ['page.html', '<p>x</p>'],
    ['page.htm', '<p>x</p>'],
    ['paper.pdf', '%PDF-1.7 …'],
    ['paper.pdf', '\n\n%PDF-1.4 …'],
    ['letter.docx', 'PK\u0003\u0004…'],
    ['wide.txt', Buffer.from('\uFEFFhello', 'utf16le')],
  ])('%s', (filename, content) => {
    expect(offer(filename, content)).toBeUndefined();
  });
});

describe('a file is refused', () => {
  it.each([
    ['', 'x', 'The file has no name.'],
    ['program.exe', 'x', 'The file must be one of .txt, .pdf, .docx, .md, .html, .htm.'],
    ['README', 'x', 'The file must be one of .txt, .pdf, .docx, .md, .html, .htm.'],
    ['empty.txt', '', 'The file is empty.'],
    ['fake.pdf', '<html>', 'The file is named .pdf but is not one.'],
    ['fake.docx', '%PDF-1.7', 'The file is named .docx but is not one.'],
    ['binary.txt', 'a\0b', 'The file is named .txt but is not one.'],
  ])('%s', (filename, content, reason) => {
    expect(offer(filename, content)).toBe(reason);
  });

  it('when it is too large, whatever there is of it', () => {
    expect(offer('big.txt', 'x', true)).toBe('The file is larger than 5242880 bytes.');
  });
});
