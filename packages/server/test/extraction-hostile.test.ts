import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createExtractor, type ExtractorOptions } from '../src/knowledge/extraction/extract.ts';
import { makeBareDocx, makeZip, type ZipEntry } from './support/documents.ts';
import { pageOf, pdfStream, rawPdf, sayHello } from './support/raw-pdf.ts';

const never = new AbortController().signal;
const extractor = createExtractor({ mostAtOnce: 2 });
afterAll(() => extractor.close());

const damaged = 'It is damaged: open it, save it anew and upload that.';
const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

async function read(filename: string, bytes: Uint8Array, options?: ExtractorOptions): Promise<string> {
  const own = options && createExtractor(options);
  try {
    return (await (own ?? extractor).extract({ filename, bytes }, never)).markdown;
  } catch (error) {
    return (error as { reason: string }).reason;
  } finally {
    await own?.close();
  }
}

describe('an archive that is a bomb', () => {
  const withEntry = (entry: ZipEntry) => makeBareDocx({ body: paragraph('x'), others: [entry] });

  it('is not unpacked: it says itself how large it is', async () => {
    const bomb = withEntry({ name: 'word/big.xml', content: Buffer.alloc(70 * 1024 * 1024, 32) });
    expect(bomb.length).toBeLessThan(100_000);
    expect(await read('a.docx', bomb)).toBe('It unpacks to more than 64 MB.');
  });

  it('is found out by its ratio', async () => {
    const bomb = withEntry({ name: 'word/big.xml', content: Buffer.alloc(20 * 1024 * 1024, 32) });
    expect(await read('a.docx', bomb)).toBe('It unpacks to more than 64 MB.');
  });

  it('is not unpacked any further than it said', async () => {
    const content = Buffer.alloc(20 * 1024 * 1024, 32);
    expect(await read('a.docx', withEntry({ name: 'word/big.xml', content, claimedSize: 1_000 }))).toBe(
      damaged,
    );
    expect(await read('a.docx', withEntry({ name: 'word/big.xml', content, claimedSize: 0 }))).toBe(damaged);
  });

  it('may hold other bombs, which nobody opens', async () => {
    const inner = makeZip([{ name: 'big', content: Buffer.alloc(60 * 1024 * 1024) }]);
    const nested = makeZip([{ name: 'inner.zip', content: inner }]);
    expect(await read('a.docx', withEntry({ name: 'word/embeddings/inner.docx', content: nested }))).toBe(
      'x',
    );
  });

  it('may point many names at one file', async () => {
    const others = Array.from({ length: 200 }, (_, index) => ({
      name: `word/${index}.xml`,
      content: index === 0 ? Buffer.alloc(900_000, 32) : '',
    }));
    const first = makeBareDocx({ body: paragraph('x') });
    const offset = first.indexOf('PK\x01\x02');
    const bytes = makeBareDocx({
      body: paragraph('x'),
      others: others.map((entry) => ({ ...entry, offset, claimedSize: 900_000 })),
    });
    expect(await read('a.docx', bytes)).toBe('It unpacks to more than 64 MB.');
  });

  it('may hold too many files, or one twice', async () => {
    const many = Array.from({ length: 5_001 }, (_, index) => ({ name: `${index}`, content: '' }));
    expect(await read('a.docx', makeZip(many))).toBe('It holds more than 5000 files.');
    expect(await read('a.docx', withEntry({ name: 'word/document.xml', content: 'y' }))).toBe(damaged);
  });

  it('may be cut, garbled or locked', async () => {
    const sound = makeBareDocx({ body: paragraph('x') });
    expect(await read('a.docx', sound)).toBe('x');
    expect(await read('a.docx', sound.subarray(0, -40))).toBe(damaged);
    const garbled = Buffer.from(sound).fill(0xff, 60, 90);
    expect(await read('a.docx', garbled)).toBe(damaged);
    const locked = withEntry({ name: 'word/locked.xml', content: 'x', flags: 1 });
    expect(await read('a.docx', locked)).toBe(
      'It is protected by a password: remove it and upload the file again.',
    );
  });
});

describe('a Word document that reaches outside', () => {
  it('reads no file and opens no address', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-extraction-'));
    const secret = join(folder, 'secret.png');
    await writeFile(secret, 'the-planted-secret');
    const visited: string[] = [];
    const server = createServer((request, response) => {
      visited.push(request.url ?? '');
      response.end('x');
    }).on('connection', () => visited.push('connection'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const targets = [pathToFileURL(secret).href, secret, `${site}/picture`, `\\\\127.0.0.1\\share\\a.png`];
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const relationships = targets.flatMap((target, index) =>
      [
        'image',
        'hyperlink',
        'attachedTemplate',
        'oleObject',
        'aFChunk',
        'subDocument',
        'styles',
        'numbering',
        'footnotes',
        'comments',
      ].map(
        (kind) =>
          `<Relationship Id="${kind}${index}" Type="${type}/${kind}" Target="${target}" TargetMode="External"/>`,
      ),
    );
    const picture = (attribute: string, id: string) =>
      `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="1" name="p" descr="described"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:${attribute}="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const body = targets.map(
      (_target, index) =>
        picture('link', `image${index}`) +
        picture('embed', `image${index}`) +
        `<w:p><w:hyperlink r:id="hyperlink${index}"><w:r><w:t>link${index}</w:t></w:r></w:hyperlink></w:p><w:altChunk r:id="aFChunk${index}"/><w:subDoc r:id="subDocument${index}"/>`,
    );
    try {
      const bytes = makeBareDocx({
        body: `${paragraph('Text.')}${body.join('')}`,
        relationships: relationships.join(''),
      });
      const markdown = await read('a.docx', bytes);
      expect(markdown).toMatch(/^Text\./);
      expect(markdown).toContain(`[link2](${site}/picture)`);
      expect(markdown).not.toMatch(/planted|file:|secret/);
      expect(visited).toEqual([]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    ['an outside entity', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', '&e;'],
    ['an outside definition', '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">', ''],
    [
      'entities that grow',
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(100)}"><!ENTITY c "${'&b;'.repeat(100)}">]>`,
      '&c;',
    ],
  ])('is refused with %s', async (_name, prolog, text) => {
    expect(await read('a.docx', makeBareDocx({ body: paragraph(`x${text}`), prolog }))).toBe(
      'It is no sound Word document: it declares entities, which none does.',
    );
  });

  it('is refused when its parts are nested without end', async () => {
    const body = `${'<w:sdt><w:sdtContent>'.repeat(50_000)}${paragraph('x')}${'</w:sdtContent></w:sdt>'.repeat(50_000)}`;
    expect(await read('a.docx', makeBareDocx({ body }))).toMatch(/nested too deeply|damaged|unpacks to more/);
  });
});

describe('a PDF that is made to harm', () => {
  const flate = '/Filter /FlateDecode';

  it('is read when only its table is broken', async () => {
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

  it('ends when its pages go round in circles', async () => {
    const round = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 5 >>',
    ]);
    expect(await read('a.pdf', round)).toMatch(/damaged|no text/);
    const parents = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 3 0 R >>',
      '<< /Type /Page /Parent 2 0 R >>',
    ]);
    expect(await read('a.pdf', parents)).toMatch(/damaged|no text/);
  });

  it('ends when a drawing draws itself', async () => {
    const loop = pdfStream(
      `${sayHello} /X Do`,
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >>',
    );
    expect(await read('a.pdf', pageOf('/X Do', '/XObject << /X 6 0 R >>', [loop]))).toMatch(
      /^(Hello from the page)|It /,
    );
  });

  it('ends when its tables go round in circles', async () => {
    const first = pageOf(sayHello).toString('latin1');
    const start = /startxref\n(\d+)/.exec(first)?.[1];
    const circle = first.replace('/Root 1 0 R', `/Root 1 0 R /Prev ${start}`);
    expect(await read('a.pdf', Buffer.from(circle, 'latin1'))).toBe('Hello from the page');
  });

  it('may claim any number of pages', async () => {
    const claims = (count: number) =>
      Buffer.from(pageOf(sayHello).toString('latin1').replace('/Count 1 ', `/Count ${count} `), 'latin1');
    expect(await read('a.pdf', claims(2_000_000_000))).toMatch(
      /^(Hello from the page|It has more than 2000 pages|The PDF is damaged)/,
    );
    expect(await read('a.pdf', claims(-1))).toMatch(/^(Hello from the page|It |The PDF is damaged)/);
  });

  it('may really have too many', async () => {
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

  it('may be nested without end', async () => {
    const nested = `<< /Type /Catalog /Pages 2 0 R /X ${'['.repeat(300_000)}${']'.repeat(300_000)} >>`;
    expect(await read('a.pdf', rawPdf([nested, '<< /Type /Pages /Kids [] /Count 0 >>']))).toMatch(
      /^(It|The PDF)/,
    );
    const content = pdfStream(deflateSync(`${sayHello}${'['.repeat(1_000_000)}`), flate);
    expect(await read('a.pdf', pageOf(content), { timeMs: 5_000 })).toMatch(
      /^(Hello from the page|It took longer than 5 s to read|It can not be read|The PDF is damaged)/,
    );
  });

  it('may be a bomb', async () => {
    const spaces = pdfStream(deflateSync(Buffer.alloc(400 * 1024 * 1024, 32)), flate);
    const twice = deflateSync(deflateSync(Buffer.alloc(400 * 1024 * 1024, 32)));
    const nested = pdfStream(twice, '/Filter [/FlateDecode /FlateDecode]');
    const limits = { memoryMb: 100, timeMs: 5_000 };
    for (const content of [spaces, nested])
      expect(await read('a.pdf', pageOf(content), limits)).toMatch(/^(It|The PDF) /);
  });

  it('may hold more text than anybody reads', async () => {
    const content = pdfStream(
      deflateSync(`BT /F 12 Tf ${'1 0 0 1 60 700 Tm (Hello from the page) Tj '.repeat(60_000)} ET`),
      flate,
    );
    expect(await read('a.pdf', pageOf(content), { textBytes: 1024 * 1024 })).toBe(
      'It holds more than 1 MB of text: split it into smaller files.',
    );
  });

  it('is refused when a part of its text would be missing', async () => {
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
    expect(await read('a.pdf', bytes)).toBe(
      'The PDF writes in an old East Asian encoding that can not be read: print it to a new PDF and upload that.',
    );
  });

  it('may be locked', async () => {
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

  it('may be no more than a beginning', async () => {
    for (const bytes of ['%PDF-1.7', '%PDF-1.7\n%%EOF', `%PDF-1.4\n${'1 0 obj '.repeat(100_000)}`]) {
      expect(await read('a.pdf', Buffer.from(bytes))).toBe(
        'The PDF is damaged: open it, save it anew and upload that.',
      );
    }
  });
});

describe('text without measure', () => {
  it('is refused, not cut', async () => {
    expect(await read('a.txt', Buffer.alloc(3_000_000, 'text '), { textBytes: 1024 * 1024 })).toBe(
      'It holds more than 1 MB of text: split it into smaller files.',
    );
  });
});
