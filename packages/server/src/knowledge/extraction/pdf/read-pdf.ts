import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getDocumentProxy } from 'unpdf';
import { ExtractionError } from '../../source-failure.ts';
import { tooMuchText } from '../explain-end.ts';
import type { ExtractionLimits } from '../limits.ts';
import type { ReadText } from '../tasks.ts';
import { type Annotation, placeFilledIn, readFilledIn } from './filled-in.ts';
import { layOutLines } from './lay-out-lines.ts';
import { gatherLines } from './lines.ts';
import type { PlacedText } from './placed-text.ts';
import { withPlainLetters } from './reading-order.ts';
import type { PdfPage } from './tagged-blocks.ts';
import { writeTagged } from './write-tagged.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Nothing is drawn or fetched: only text and its positions are needed. */
const settings = {
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  isImageDecoderSupported: false,
  isOffscreenCanvasSupported: false,
  enableXfa: false,
  stopAtErrors: false,
  maxImageSize: 1,
  verbosity: 0,
};
const tables = join(import.meta.dirname, 'cmaps');
/** Titles that programs give to untitled documents. */
const noTitle =
  /^(untitled|microsoft word - .*|(?:.*\/)?[^ ]*\.(docx?|tex|indd|html?|pdf|qxd|dvi)|about:blank|powerpoint presentation)$/i;

export async function readPdf(bytes: Uint8Array, limits: ExtractionLimits): Promise<ReadText> {
  const pdf = await open(bytes);
  if (pdf.numPages > limits.pages) {
    throw new ExtractionError(`It has more than ${limits.pages} pages: split it into smaller files.`);
  }
  const pages: PdfPage[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await readPage(pdf, number);
    length += page.pieces.reduce((sum, { text }) => sum + text.length, 0);
    if (length > limits.textBytes) throw tooMuchText(limits);
    pages.push(page);
  }
  const markdown =
    writeTagged(pages) ??
    layOutLines(pages.map(({ height, pieces }) => ({ height, lines: gatherLines(pieces) })));
  return { title: await titleOf(pdf), markdown, pages: pdf.numPages };
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { ...settings, BinaryDataFactory });
  } catch (error) {
    if ((error as Error).name === 'PasswordException') {
      throw new ExtractionError('The PDF is protected by a password: remove it and upload the file again.');
    }
    throw new ExtractionError('The PDF is damaged: open it, save it again and upload that.', {
      cause: error,
    });
  }
}

/**
 * Supplies the tables of East Asian encodings, which the package does not include: without them it silently drops the text. Fonts are
 * only for drawing. It is called as a constructor.
 */
function BinaryDataFactory() {
  const readTable = async ({ kind, filename }: { kind: string; filename: string }) => {
    if (kind !== 'cMapUrl') throw new Error(`There is no ${filename}.`);
    return new Uint8Array(await readFile(join(tables, basename(filename))));
  };
  return { fetch: readTable };
}

async function readPage(pdf: Pdf, number: number): Promise<PdfPage> {
  const page = await pdf.getPage(number);
  try {
    // A broken structure tree is ignored, because the text may be fine.
    const structure = await page.getStructTree().catch(() => null);
    const { items } = await page.getTextContent({
      includeMarkedContent: structure !== null,
      // It would take ligatures apart before it puts text from right to left in order, and so reverse them.
      disableNormalization: true,
    });
    const [, bottom = 0, , top = 0] = page.view;
    // Broken annotations are ignored, too.
    const annotations: Annotation[] = await page.getAnnotations().catch(() => []);
    const pieces = placeFilledIn(placeItems(items, bottom), readFilledIn(annotations, bottom));
    return { height: top - bottom, pieces, structure };
  } finally {
    page.cleanup();
  }
}

type TextContent = Awaited<ReturnType<Awaited<ReturnType<Pdf['getPage']>>['getTextContent']>>;

/** Marked content can be nested. */
function placeItems(items: TextContent['items'], bottom: number): PlacedText[] {
  const pieces: PlacedText[] = [];
  const marks: (string | undefined)[] = [];
  for (const item of items) {
    if ('str' in item) {
      const [, , c = 0, d = 0, x = 0, y = 0] = item.transform as number[];
      const size = Math.hypot(c, d) || item.height;
      const mark = marks.findLast((id) => id !== undefined);
      const text = withPlainLetters(item.str);
      pieces.push({ text, x, y: y - bottom, width: item.width, size, endsLine: item.hasEOL, mark });
    } else if (item.type === 'endMarkedContent') marks.pop();
    else marks.push(item.id ?? undefined);
  }
  return pieces;
}

async function titleOf(pdf: Pdf): Promise<string | null> {
  const { info } = (await pdf.getMetadata()) as { info: { Title?: unknown } };
  const title = typeof info.Title === 'string' ? info.Title.trim() : '';
  return title === '' || noTitle.test(title) ? null : title;
}
