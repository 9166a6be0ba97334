import { getDocumentProxy } from 'unpdf';
import { tooMuchText } from '../explain-end.ts';
import { ExtractionError } from '../extraction-error.ts';
import type { ExtractionLimits } from '../limits.ts';
import type { ReadText } from '../read-document.ts';
import { layOutLines } from './lay-out-lines.ts';
import { gatherLines, type Line, type PlacedText } from './lines.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Nothing is drawn and nothing is fetched: only words and their places are wanted. */
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
/** Titles that programs give to what has none. */
const noTitle =
  /^(untitled|microsoft word - .*|(?:.*\/)?[^ ]*\.(docx?|tex|indd|html?|pdf|qxd|dvi)|about:blank|powerpoint presentation)$/i;

export async function readPdf(bytes: Uint8Array, limits: ExtractionLimits): Promise<ReadText> {
  const pdf = await open(bytes);
  if (pdf.numPages > limits.pages) {
    throw new ExtractionError(`It has more than ${limits.pages} pages: split it into smaller files.`);
  }
  const pages: Line[][] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const lines = await readPage(pdf, number);
    length += lines.reduce((sum, { text }) => sum + text.length, 0);
    if (length > limits.textBytes) throw tooMuchText(limits);
    pages.push(lines);
  }
  return { title: await titleOf(pdf), markdown: layOutLines(pages), pages: pdf.numPages };
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), settings);
  } catch (error) {
    if ((error as Error).name === 'PasswordException') {
      throw new ExtractionError('The PDF is protected by a password: remove it and upload the file again.');
    }
    throw new ExtractionError('The PDF is damaged: open it, save it anew and upload that.', { cause: error });
  }
}

/** A page that is broken is left out when others are not; none at all is told as a document without text. */
async function readPage(pdf: Pdf, number: number): Promise<Line[]> {
  const page = await pdf.getPage(number);
  try {
    const { items } = await page.getTextContent();
    return gatherLines(items.filter((item) => 'str' in item).map(place));
  } finally {
    page.cleanup();
  }
}

interface TextItem {
  str: string;
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

function place({ str, transform, width, height, hasEOL }: TextItem): PlacedText {
  const [, , c = 0, d = 0, x = 0, y = 0] = transform;
  return { text: str, x, y, width, size: Math.hypot(c, d) || height, endsLine: hasEOL };
}

async function titleOf(pdf: Pdf): Promise<string | null> {
  const { info } = (await pdf.getMetadata()) as { info: { Title?: unknown } };
  const title = typeof info.Title === 'string' ? info.Title.trim() : '';
  return title === '' || noTitle.test(title) ? null : title;
}
