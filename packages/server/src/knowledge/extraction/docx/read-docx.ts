import mammoth from 'mammoth';
import { layOutDocument } from '../../../pages/lay-out-page.ts';
import { pageText } from '../../../pages/page-text.ts';
import { ExtractionError } from '../extraction-error.ts';
import type { ExtractionLimits } from '../limits.ts';
import type { ReadText } from '../read-text.ts';
import { type ArchiveEntry, listArchive, unpackEntry } from './archive.ts';
import { packStored } from './pack-stored.ts';

const contentTypes = '[Content_Types].xml';
const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

/**
 * A Word document as markdown. mammoth is given an archive that we made of what we unpacked and checked: markup only, no
 * pictures, nothing declared that could be expanded. What a document refers to outside is never looked at.
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
      throw new ExtractionError('It is no sound Word document: it declares entities, which none does.');
    }
    parts.set(entry.name, content);
  }
  return parts;
}

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
