import { deflateRawSync } from 'node:zlib';
import {
  Document,
  ExternalHyperlink,
  HeadingLevel,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx';
import { PDFDocument, StandardFonts } from 'pdf-lib';

/** A title and a few lines. */
export function pdf(title: string, ...lines: string[]): Promise<Uint8Array> {
  const body = lines.map((text, index) => ({ text, y: 756 - index * 24 }));
  return makePdf([[{ text: title, size: 20, y: 780 }, ...body]], title);
}

/** A heading and a few paragraphs. */
export async function docx(title: string, ...paragraphs: string[]): Promise<Uint8Array> {
  const heading = new Paragraph({ text: title, heading: HeadingLevel.HEADING_1 });
  const children = [heading, ...paragraphs.map((text) => new Paragraph(text))];
  return Packer.toBuffer(new Document({ sections: [{ children }] }));
}

/** A Word document as written by the docx library. */
export async function makeDocx(title = ''): Promise<Buffer> {
  const row = (...cells: string[]) =>
    new TableRow({ children: cells.map((text) => new TableCell({ children: [new Paragraph(text)] })) });
  const document = new Document({
    ...(title && { title }),
    sections: [
      {
        children: [
          new Paragraph({ text: 'Keeping bees', heading: HeadingLevel.TITLE }),
          new Paragraph({ text: 'The hive', heading: HeadingLevel.HEADING_1 }),
          new Paragraph({
            children: [
              new TextRun('A hive has '),
              new TextRun({ text: 'frames', bold: true }),
              new TextRun(' & a lid.'),
            ],
          }),
          new Paragraph({ text: 'In winter', heading: HeadingLevel.HEADING_2 }),
          new Paragraph({ text: 'Leave them alone', bullet: { level: 0 } }),
          new Paragraph({ text: 'Listen once a month', bullet: { level: 0 } }),
          new Table({ rows: [row('Month', 'Work'), row('May', 'Swarms'), row('June', 'Honey | wax')] }),
          new Paragraph({
            children: [
              new ExternalHyperlink({ link: 'https://bees.example/more', children: [new TextRun('More')] }),
              new ExternalHyperlink({ link: 'file:///etc/passwd', children: [new TextRun('Local')] }),
            ],
          }),
        ],
      },
    ],
  });
  return Packer.toBuffer(document);
}

export interface PdfLine {
  text: string;
  size?: number;
  x?: number;
  y: number;
}

/** A PDF with positioned lines of text and no structure. */
export async function makePdf(pages: readonly (readonly PdfLine[])[], title = ''): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  if (title) document.setTitle(title);
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const lines of pages) {
    const page = document.addPage([595, 842]);
    for (const { text, size = 11, x = 60, y } of lines) page.drawText(text, { x, y, size, font });
  }
  return document.save();
}

export interface ZipEntry {
  name: string;
  content: string | Buffer;
  /** A false size to declare. */
  claimedSize?: number;
  flags?: number;
  /** A false offset of its header. */
  offset?: number;
}

/** An archive written by hand, so that it can be inconsistent. */
export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let written = 0;
  for (const { name, content, claimedSize, flags = 0, offset = written } of entries) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data, { level: 9 });
    const size = claimedSize ?? data.length;
    const common = [
      20,
      flags,
      8,
      0,
      0,
      0,
      0,
      packed.length,
      0,
      size & 0xffff,
      size >>> 16,
      Buffer.byteLength(name),
      0,
    ];
    common[7] = packed.length & 0xffff;
    common[8] = packed.length >>> 16;
    const local = Buffer.concat([numbers(0x4b50, 0x0403, ...common), Buffer.from(name), packed]);
    const where = [offset & 0xffff, offset >>> 16];
    directory.push(numbers(0x4b50, 0x0201, 20, ...common, 0, 0, 0, 0, 0, ...where), Buffer.from(name));
    files.push(local);
    written += local.length;
  }
  const list = Buffer.concat(directory);
  const end = [
    entries.length,
    entries.length,
    list.length & 0xffff,
    list.length >>> 16,
    written & 0xffff,
    written >>> 16,
  ];
  return Buffer.concat([...files, list, numbers(0x4b50, 0x0605, 0, 0, ...end, 0)]);
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}

const namespaces =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

export interface DocxParts {
  /** The content of the body. */
  body: string;
  /** XML before the root element. */
  prolog?: string;
  relationships?: string;
  others?: readonly ZipEntry[];
}

/** A minimal Word document, to which invalid parts can be added. */
export function makeBareDocx({ body, prolog = '', relationships = '', others = [] }: DocxParts): Buffer {
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relations = (content: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`;
  return makeZip([
    {
      name: '[Content_Types].xml',
      content: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: relations(
        `<Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/>`,
      ),
    },
    { name: 'word/_rels/document.xml.rels', content: relations(relationships) },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0"?>${prolog}<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
    },
    ...others,
  ]);
}
