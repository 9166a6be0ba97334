import { describe, expect, it } from 'vitest';
import { readHere, textOrReason } from './document-reader.ts';
import { makeDocx, makePdf, makeZip } from './documents.ts';

const read = (filename: string | null, bytes: Uint8Array | string, contentType?: string) =>
  textOrReason(readHere({ filename, bytes, contentType: contentType ?? null }));

describe('a wrong extension', () => {
  it('does not matter when the bytes show the format', async () => {
    const pdf = await makePdf([[{ text: 'In a PDF.', y: 700 }]]);
    expect(await read('a.txt', pdf)).toBe('In a PDF.');
    expect(await read(null, pdf, 'text/html')).toBe('In a PDF.');
    expect(await read('a.md', await makeDocx())).toContain('# The hive');
    expect(await read('a.md', '<!DOCTYPE html><p>In a page.</p>')).toBe('In a page.');
    expect(await read('a.txt', '\ufeff <html><p>In a page.</p>')).toBe('In a page.');
  });

  it.each([
    ['a.docx', 'plain text', 'Its name ends in .docx, but it is something else and not a Word document.'],
    ['a.docx', '%PDF-1.7 …', 'Its name ends in .docx, but it is a PDF and not a Word document.'],
    [
      'a.pdf',
      '<html><p>Please log in</p>',
      'Its name ends in .pdf, but it is a web page and not a PDF: download the document itself.',
    ],
    ['a.pdf', makeZip([]), 'Its name ends in .pdf, but it is a ZIP archive and not a PDF.'],
    [
      'a.docx',
      makeZip([{ name: 'a.txt', content: 'x' }]),
      'It is a ZIP archive and not a Word document: unpack it and upload the files.',
    ],
    [
      'a.txt',
      makeZip([{ name: 'xl/workbook.xml', content: 'x' }]),
      'It is an Excel workbook and not a Word document: save it as PDF or text.',
    ],
    [
      'a.docx',
      makeZip([{ name: 'ppt/a.xml', content: 'x' }]),
      'It is a PowerPoint presentation and not a Word document: save it as PDF.',
    ],
    [
      'a.txt',
      Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'It is a PNG image: only text can be read.',
    ],
    ['a.md', String.raw`{\rtf1 text}`, 'It is an RTF document: save it as .docx.'],
    ['a.txt', Buffer.from('1f8b0800', 'hex'), 'It is a gzip archive: unpack it and upload the files.'],
    [
      'a.docx',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
      'It is in an old Office format: save it as .docx and upload that.',
    ],
    [
      'a.docx',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'The document is protected by a password: remove it and upload the file again.',
    ],
    [
      'a.txt',
      Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7919) % 251)),
      'It is not text: only PDF, Word (.docx), HTML, Markdown and plain text can be read.',
    ],
    [
      'a.html',
      Buffer.alloc(2_000),
      'It is not text: only PDF, Word (.docx), HTML, Markdown and plain text can be read.',
    ],
  ])('%s %#: is told', async (filename, bytes, reason) => {
    expect(await read(filename, bytes)).toBe(reason);
  });
});

describe('nothing to read', () => {
  it.each([
    ['a.txt', '', 'It is empty.'],
    ['a.pdf', '', 'It is empty.'],
    ['a.txt', ' \n\t\r\n', 'It contains no text.'],
    ['a.txt', '\ufeff', 'It contains no text.'],
    ['a.html', '<title>x</title><script>var x</script>', 'It contains no text.'],
  ])('%s %j: is reported', async (filename, bytes, reason) => {
    expect(await read(filename, bytes)).toBe(reason);
  });

  it('in a PDF may mean a scan', async () => {
    expect(await read('a.pdf', await makePdf([[], []]))).toBe('It contains no text: is it a scan?');
  });
});

describe('encodings', () => {
  const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
  const words = 'Grüße – schöne Bienen, 蜂.';
  const western = 'Grüße, schöne Bienen.';
  it.each([
    ['UTF-8', Buffer.from(words), words],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${words}`), words],
    [
      'UTF-8 with a broken byte',
      Buffer.concat([Buffer.from(words), Buffer.from([0xff, 0x20]), Buffer.from(words)]),
      `${words}\ufffd ${words}`,
    ],
    ['UTF-16 LE with a byte order mark', Buffer.from(`\ufeff${words}`, 'utf16le'), words],
    ['UTF-16 BE with a byte order mark', utf16be(`\ufeff${words}`), words],
    ['UTF-16 LE', Buffer.from(western, 'utf16le'), western],
    ['UTF-16 BE', utf16be(western), western],
    ['ISO 8859-1', Buffer.from(western, 'latin1'), western],
    [
      'Windows-1252',
      Buffer.concat([Buffer.from([0x93]), Buffer.from('Für 5 ', 'latin1'), Buffer.from([0x80, 0x94])]),
      '“Für 5 €”',
    ],
    [
      'null characters and halves of characters',
      Buffer.from(`a\0b\u200bc${'d'.repeat(100)}\u{e0041}`),
      `abc${'d'.repeat(100)}`,
    ],
    [
      'a lone surrogate in UTF-16',
      Buffer.from(`\ufeff${words}\ud800${words}${words}`, 'utf16le'),
      `${words}\ufffd${words}${words}`,
    ],
  ])('%s', async (_name, bytes, text) => {
    const found = await read('a.txt', bytes);
    expect(found).toBe(text);
    expect(found.isWellFormed() && !found.includes('\0')).toBe(true);
  });

  it('are taken from the declaration', async () => {
    const page = (head: string) => Buffer.from(`${head}<p>${western}</p>`, 'latin1');
    expect(await read('a.html', page('<meta charset="ISO-8859-1">'))).toBe(western);
    expect(
      await read(
        'a.html',
        page('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">'),
      ),
    ).toBe(western);
    expect(await read('a.html', page('<meta charset="no-such-thing">'))).toBe(western);
    expect(await read('a.html', Buffer.from(`<meta charset="utf-16"><p>${words}</p>`))).toBe(words);
    expect(await read(null, Buffer.from([0x83, 0x6e, 0x83, 0x60]), 'text/plain; charset=Shift_JIS')).toBe(
      'ハチ',
    );
    expect(await read('a.html', Buffer.from('<meta charset=gb18030><p>\xb7\xe4</p>', 'latin1'))).toBe('蜂');
  });
});
