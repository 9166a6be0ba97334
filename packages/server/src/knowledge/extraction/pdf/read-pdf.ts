import { getDocumentProxy } from 'unpdf';
import { ExtractionError } from '../../source-failure.ts';
import { tooMuchText } from '../explain-end.ts';
import type { ExtractionLimits } from '../limits.ts';
import type { ReadText } from '../tasks.ts';
import { layOutLines } from './lay-out-lines.ts';
import { gatherLines, type PlacedText } from './lines.ts';
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
/** Titles that programs give to untitled documents. */
const noTitle =
  /^(untitled|microsoft word - .*|(?:.*\/)?[^ ]*\.(docx?|tex|indd|html?|pdf|qxd|dvi)|about:blank|powerpoint presentation)$/i;

export async function readPdf(bytes: Uint8Array, limits: ExtractionLimits): Promise<ReadText> {
  const missing = new Set<string>();
  const pdf = await open(bytes, missing);
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
  if (missing.size > 0) {
    throw new ExtractionError(
      'The PDF writes in an old East Asian encoding that cannot be read: print it to a new PDF and upload that.',
      { cause: [...missing].join(', ') },
    );
  }
  const markdown =
    writeTagged(pages) ??
    layOutLines(pages.map(({ height, pieces }) => ({ height, lines: gatherLines(pieces) })));
  return { title: await titleOf(pdf), markdown, pages: pdf.numPages };
}

async function open(bytes: Uint8Array, missing: Set<string>): Promise<Pdf> {
  try {
    const BinaryDataFactory = withoutTables(missing);
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
 * The package does not include the tables of East Asian encodings and silently drops text that needs one, so the requested
 * tables are recorded. It is called as a constructor.
 */
function withoutTables(missing: Set<string>): object {
  const refuse = async ({ kind, filename }: { kind: string; filename: string }) => {
    if (kind === 'cMapUrl') missing.add(filename);
    throw new Error(`There is no ${filename}.`);
  };
  return function () {
    return { fetch: refuse };
  };
}

async function readPage(pdf: Pdf, number: number): Promise<PdfPage> {
  const page = await pdf.getPage(number);
  try {
    // A broken structure tree is ignored, because the text may be fine.
    const structure = await page.getStructTree().catch(() => null);
    const { items } = await page.getTextContent({ includeMarkedContent: structure !== null });
    const [, bottom = 0, , top = 0] = page.view;
    return { height: top - bottom, pieces: placeItems(items, bottom), structure };
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
      pieces.push({ text: item.str, x, y: y - bottom, width: item.width, size, endsLine: item.hasEOL, mark });
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
