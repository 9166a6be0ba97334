import { describe, expect, it } from 'vitest';
import { refusalOf } from './check-file.ts';

const offer = (filename: string, content: Buffer | string, isTooLarge = false) => {
  const bytes = Buffer.from(content as string);
  return refusalOf({ filename, size: bytes.length, isTooLarge, bytes: () => bytes });
};

const oldOffice = Buffer.from('d0cf11e0a1b11ae1', 'hex');

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
    ['wide-without-a-mark.txt', Buffer.from('Text from an old editor', 'utf16le')],
    ['long.txt', `${'x'.repeat(65_535)}é and more`],
    ['spoiled.txt', `${'Some text. '.repeat(100)}\0`],
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
    [
      'login.pdf',
      '<html><body>Sign in</body></html>',
      'Its name ends in .pdf, but it is a web page and not a PDF: download the document itself.',
    ],
    ['fake.docx', '%PDF-1.7', 'Its name ends in .docx, but it is a PDF and not a Word document.'],
    ['old.docx', oldOffice, 'It is in an old Office format: save it as .docx and upload that.'],
    [
      'secret.docx',
      Buffer.concat([oldOffice, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')]),
      'The document is protected by a password: remove it and upload the file again.',
    ],
    ['picture.txt', Buffer.from('89504e470d0a1a0a', 'hex'), 'It is a PNG image: only text can be read.'],
    [
      'binary.txt',
      'a\0b',
      'It is not text: only PDF, Word (.docx), HTML, Markdown and plain text can be read.',
    ],
  ])('%s', (filename, content, reason) => {
    expect(offer(filename, content)).toBe(reason);
  });

  it('when it is too large, whatever there is of it', () => {
    expect(offer('big.txt', 'x', true)).toBe('The file is larger than 5242880 bytes.');
  });
});
