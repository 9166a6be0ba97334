import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readDocument as readApart, readHere, textOrReason } from './document-reader.ts';
import { pageOf, pdfStream, rawPdf, sayHello } from './raw-pdf.ts';

const read = (filename: string, bytes: Uint8Array, limits = {}) =>
  textOrReason(readHere({ filename, bytes }, limits));

describe('a malicious PDF', () => {
  const flate = '/Filter /FlateDecode';

  it('is read when only its cross-reference table is broken', async () => {
    const bytes = pageOf(sayHello);
    expect(await read('a.pdf', bytes)).toBe('Hello from the page');
    const text = bytes.toString('latin1');
    const start = /startxref\n\d+/;
    expect(await read('a.pdf', Buffer.from(text.replace(start, 'startxref\n99999999'), 'latin1'))).toBe(
      'Hello from the page',
    );
    expect(
      await read('a.pdf', Buffer.from(text.replaceAll(/\d{10} 00000 n/g, '0000000001 00000 n'), 'latin1')),
    ).toBe('Hello from the page');
  });

  it('does not loop when its pages are circular', async () => {
    const round = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 5 >>',
    ]);
    expect(await readApart('a.pdf', round)).toMatch(/damaged|no text/);
    const parents = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 3 0 R >>',
      '<< /Type /Page /Parent 2 0 R >>',
    ]);
    expect(await readApart('a.pdf', parents)).toMatch(/damaged|no text/);
  });

  it('does not loop when a form draws itself', async () => {
    const loop = pdfStream(
      `${sayHello} /X Do`,
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >>',
    );
    expect(await readApart('a.pdf', pageOf('/X Do', '/XObject << /X 6 0 R >>', [loop]))).toMatch(
      /^(Hello from the page)|It /,
    );
  });

  it('does not loop when its cross-reference tables are circular', async () => {
    const first = pageOf(sayHello).toString('latin1');
    const start = /startxref\n(\d+)/.exec(first)?.[1];
    const circle = first.replace('/Root 1 0 R', `/Root 1 0 R /Prev ${start}`);
    expect(await readApart('a.pdf', Buffer.from(circle, 'latin1'))).toBe('Hello from the page');
  });

  it('may declare any number of pages', async () => {
    const claims = (count: number) =>
      Buffer.from(pageOf(sayHello).toString('latin1').replace('/Count 1 ', `/Count ${count} `), 'latin1');
    expect(await read('a.pdf', claims(2_000_000_000))).toMatch(
      /^(Hello from the page|It has more than 2000 pages|The PDF is damaged)/,
    );
    expect(await read('a.pdf', claims(-1))).toMatch(/^(Hello from the page|It |The PDF is damaged)/);
  });

  it('is refused when it really has too many pages', async () => {
    const kids = Array.from({ length: 6 }, (_, index) => `${index + 3} 0 R`).join(' ');
    const pages = Array.from({ length: 6 }, () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>');
    const bytes = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${kids}] /Count 6 >>`,
      ...pages,
    ]);
    expect(await read('a.pdf', bytes, { pages: 5 })).toBe(
      'It has more than 5 pages: split it into smaller files.',
    );
  });

  it('may be nested very deeply', async () => {
    const nested = `<< /Type /Catalog /Pages 2 0 R /X ${'['.repeat(300_000)}${']'.repeat(300_000)} >>`;
    expect(await readApart('a.pdf', rawPdf([nested, '<< /Type /Pages /Kids [] /Count 0 >>']))).toMatch(
      /^(It|The PDF)/,
    );
    const content = pdfStream(deflateSync(`${sayHello}${'['.repeat(1_000_000)}`), flate);
    expect(await readApart('a.pdf', pageOf(content), { timeMs: 3_000 })).toMatch(
      /^(Hello from the page|It took longer than 3 s to read|It cannot be read|The PDF is damaged)/,
    );
  });

  it('may be a bomb', async () => {
    const packed = deflateSync(Buffer.alloc(150 * 1024 * 1024, 32));
    const spaces = pdfStream(packed, flate);
    const nested = pdfStream(deflateSync(packed), '/Filter [/FlateDecode /FlateDecode]');
    const limits = { memoryMb: 100, timeMs: 3_000 };
    for (const content of [spaces, nested])
      expect(await readApart('a.pdf', pageOf(content), limits)).toMatch(/^(It|The PDF) /);
  });

  it('may contain too much text', async () => {
    const content = pdfStream(
      deflateSync(`BT /F 12 Tf ${'1 0 0 1 60 700 Tm (Hello from the page) Tj '.repeat(6_000)} ET`),
      flate,
    );
    expect(await read('a.pdf', pageOf(content), { textBytes: 0.1 * 1024 * 1024 })).toBe(
      'It contains more than 0.1 MB of text: split it into smaller files.',
    );
  });

  it('may write in an old East Asian encoding', async () => {
    const bytes = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R /G 6 0 R >> >> >>',
      pdfStream('BT /F 12 Tf 60 600 Td (Latin text) Tj ET BT /G 12 Tf 60 700 Td <871C8702> Tj ET'),
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /UniGB-UCS2-H /DescendantFonts [7 0 R] >>',
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /FontDescriptor 8 0 R >>',
      '<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 0 999 999] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
    ]);
    expect(await read('a.pdf', bytes)).toBe('Latin text 蜜蜂');
  });

  it('may be encrypted', async () => {
    const bytes = pageOf(sayHello)
      .toString('latin1')
      .replace(
        '/Root 1 0 R',
        `/Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`,
      );
    expect(await read('a.pdf', Buffer.from(bytes, 'latin1'))).toBe(
      'The PDF is protected by a password: remove it and upload the file again.',
    );
  });

  it('may be truncated', async () => {
    for (const bytes of ['%PDF-1.7', '%PDF-1.7\n%%EOF', `%PDF-1.4\n${'1 0 obj '.repeat(100_000)}`]) {
      expect(await read('a.pdf', Buffer.from(bytes))).toBe(
        'The PDF is damaged: open it, save it again and upload that.',
      );
    }
  });
});
