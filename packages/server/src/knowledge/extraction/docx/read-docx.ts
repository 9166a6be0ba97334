import { crc32 } from 'node:zlib';
import mammoth from 'mammoth';
import { layOutDocument } from '../../../pages/lay-out-page.ts';
import { pageText } from '../../../pages/page-text.ts';
import { ExtractionError } from '../../source-failure.ts';
import type { ExtractionLimits } from '../limits.ts';
import type { ReadText } from '../tasks.ts';
import { type ArchiveEntry, listArchive, unpackEntry } from './archive.ts';

const contentTypes = '[Content_Types].xml';
const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

/**
 * A Word document as markdown. mammoth gets an archive of what we unpacked and checked: markup only, no images, no entity
 * declarations. External references are never followed.
 */
export async function readDocx(bytes: Uint8Array, { unpackedBytes }: ExtractionLimits): Promise<ReadText> {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = listArchive(archive, unpackedBytes);
  checkIsWord(entries);
  const parts = unpackMarkup(archive, entries);
  const { value: html } = await mammoth.convertToHtml(
    { buffer: packStored(parts) },
    { styleMap, convertImage: mammoth.images.imgElement(async () => ({ src: '' })) },
  );
  const core = parts.get('docProps/core.xml')?.toString() ?? '';
  const named = pageText(/<dc:title[^>]{0,200}>([^<]{1,2000})</.exec(core)?.[1] ?? '');
  const heading = pageText(/<h1[^>]{0,200}>(.{1,2000}?)<\/h1>/.exec(html)?.[1] ?? '');
  return { title: named || heading || null, markdown: layOutDocument(html) };
}

function unpackMarkup(archive: Buffer, entries: ArchiveEntry[]): Map<string, Buffer> {
  const parts = new Map<string, Buffer>();
  for (const entry of entries.filter(({ name }) => /\.(xml|rels)$/i.test(name))) {
    const content = unpackEntry(archive, entry);
    if (/<!(DOCTYPE|ENTITY)/i.test(content.toString('latin1'))) {
      throw new ExtractionError('It is not a valid Word document: it declares XML entities.');
    }
    parts.set(entry.name, entry.name.startsWith('word/') ? adaptMarkup(content) : content);
  }
  return parts;
}

/**
 * Renames what mammoth would leave out with the text in it to an element that it reads through: simple fields, text with a direction,
 * and the base of ruby text. A bookmark between rows would keep it from seeing which cells are merged, so its start becomes an end. Columns
 * that a row leaves out at its start become empty cells.
 */
function adaptMarkup(content: Buffer): Buffer {
  const adapted = content
    .toString()
    .replaceAll(/(<\/?[\w.-]{1,40}:)(?:fldSimple|bdo|dir|ruby|rubyBase)(?=[\s/>])/g, '$1smartTag')
    .replaceAll(/(<\/?[\w.-]{1,40}:)bookmarkStart(?=[\s/>])/g, '$1bookmarkEnd')
    .replaceAll(rowStart, (start, prefix: string, count: string) => {
      const cell = `<${prefix}:tc><${prefix}:p/></${prefix}:tc>`;
      return start + cell.repeat(Math.min(Number(count), maxColumns));
    });
  return Buffer.from(adapted);
}

/** The properties of a row that begins further to the right than its table, as many columns as they say. */
const rowStart =
  /<([\w.-]{1,40}):gridBefore\s[^<>]{0,200}?val="(\d{1,3})"[^<>]{0,200}>[^]{0,2000}?<\/\1:trPr>/g;
/** As in Word. */
const maxColumns = 63;

function checkIsWord(entries: ArchiveEntry[]): void {
  const has = (start: string) => entries.some(({ name }) => name.startsWith(start));
  if (has(contentTypes) && has('word/')) return;
  const [name, advice] = has('xl/')
    ? ['an Excel workbook', 'save it as PDF or text']
    : has('ppt/')
      ? ['a PowerPoint presentation', 'save it as PDF']
      : has('mimetype') && has('META-INF/')
        ? ['an OpenDocument file or a book', 'save it as .docx or PDF']
        : ['a ZIP archive', 'unpack it and upload the files'];
  throw new ExtractionError(`It is ${name} and not a Word document: ${advice}.`);
}

/** Packs parts into an archive without compression. */
function packStored(parts: ReadonlyMap<string, Buffer>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const encodedName = Buffer.from(name);
    const common = describe(encodedName, content);
    const local = Buffer.concat([signature(0x04034b50), version, common, encodedName]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), version, version, common, central, encodedName);
    files.push(local, content);
    offset += local.length + content.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.size, 8);
  end.writeUInt16LE(parts.size, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, entries, end]);
}

const version = Buffer.from([20, 0]);

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Flags (names are UTF-8), method, time, checksum, sizes, length of the name, nothing extra. */
function describe(name: Buffer, content: Buffer): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt16LE(0x0800, 0);
  bytes.writeUInt32LE(crc32(content), 8);
  bytes.writeUInt32LE(content.length, 12);
  bytes.writeUInt32LE(content.length, 16);
  bytes.writeUInt16LE(name.length, 20);
  return bytes;
}
