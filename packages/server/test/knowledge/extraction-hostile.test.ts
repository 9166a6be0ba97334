import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readDocument as readApart, readHere, textOrReason } from './document-reader.ts';
import { makeBareDocx, makeZip, type ZipEntry } from './documents.ts';

const damaged = 'It is damaged: open it, save it again and upload that.';
const read = (filename: string, bytes: Uint8Array, limits = {}) =>
  textOrReason(readHere({ filename, bytes }, limits));
const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

describe('an archive that is a bomb', () => {
  const withEntry = (entry: ZipEntry) => makeBareDocx({ body: paragraph('x'), others: [entry] });

  it('is not unpacked when its declared size is too large', async () => {
    const large = withEntry({ name: 'word/big.xml', content: randomBytes(1024 * 1024) });
    expect(await read('a.docx', large, { unpackedBytes: 1024 * 1024 })).toBe('It unpacks to more than 1 MB.');
    expect(await read('a.docx', large)).toBe('x');
  });

  it('is detected by its compression ratio', async () => {
    const bomb = withEntry({ name: 'word/big.xml', content: Buffer.alloc(2 * 1024 * 1024, 32) });
    expect(bomb.length).toBeLessThan(10_000);
    expect(await read('a.docx', bomb)).toBe('It unpacks to more than 64 MB.');
  });

  it('is not unpacked beyond its declared size', async () => {
    const content = Buffer.alloc(2 * 1024 * 1024, 32);
    expect(await read('a.docx', withEntry({ name: 'word/big.xml', content, claimedSize: 1_000 }))).toBe(
      damaged,
    );
    expect(await read('a.docx', withEntry({ name: 'word/big.xml', content, claimedSize: 0 }))).toBe(damaged);
  });

  it('may contain other bombs, which are not opened', async () => {
    const inner = makeZip([{ name: 'big', content: Buffer.alloc(4 * 1024 * 1024) }]);
    const nested = makeZip([{ name: 'inner.zip', content: inner }]);
    expect(await read('a.docx', withEntry({ name: 'word/embeddings/inner.docx', content: nested }))).toBe(
      'x',
    );
  });

  it('is rejected when many names point to one file', async () => {
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

  it('is rejected with too many files, or with one file twice', async () => {
    const many = Array.from({ length: 5_001 }, (_, index) => ({ name: `${index}`, content: '' }));
    expect(await read('a.docx', makeZip(many))).toBe('It contains more than 5000 files.');
    expect(await read('a.docx', withEntry({ name: 'word/document.xml', content: 'y' }))).toBe(damaged);
  });

  it('is rejected when it is truncated, corrupted or encrypted', async () => {
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
      const markdown = await readApart('a.docx', bytes);
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
    ['an external entity', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', '&e;'],
    ['an external DTD', '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">', ''],
    [
      'entities that expand',
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(100)}"><!ENTITY c "${'&b;'.repeat(100)}">]>`,
      '&c;',
    ],
  ])('is refused with %s', async (_name, prolog, text) => {
    expect(await readApart('a.docx', makeBareDocx({ body: paragraph(`x${text}`), prolog }))).toBe(
      'It is not a valid Word document: it declares XML entities.',
    );
  });

  it('is refused when its elements are nested too deeply', async () => {
    const body = `${'<w:sdt><w:sdtContent>'.repeat(50_000)}${paragraph('x')}${'</w:sdtContent></w:sdt>'.repeat(50_000)}`;
    expect(await readApart('a.docx', makeBareDocx({ body }))).toMatch(
      /nested too deeply|damaged|unpacks to more/,
    );
  });
});

describe('text of excessive length', () => {
  it('is refused, not truncated', async () => {
    expect(await read('a.txt', Buffer.alloc(3_000_000, 'text '), { textBytes: 1024 * 1024 })).toBe(
      'It contains more than 1 MB of text: split it into smaller files.',
    );
  });
});
