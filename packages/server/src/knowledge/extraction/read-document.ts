import { withoutSilentParts } from '../../pages/page-text.ts';
import { ExtractionError } from '../source-failure.ts';
import { cleanText, cleanTitle } from './clean-text.ts';
import { decideKind, type Kind } from './decide-kind.ts';
import { decodeText } from './decode-text.ts';
import { tooMuchText } from './explain-end.ts';
import type { ExtractionLimits } from './limits.ts';
import { readMarkdown } from './read-markdown.ts';
import type { ReadText } from './tasks.ts';

export interface GivenDocument {
  bytes: Uint8Array;
  filename: string | null;
  contentType: string | null;
  url: string | null;
  limits: ExtractionLimits;
}

/** The text of a document as markdown. It runs in a child process and loads packages only for the kinds that need them. */
export async function readDocument(document: GivenDocument): Promise<ReadText> {
  if (document.bytes.length === 0) throw new ExtractionError('It is empty.');
  const kind = decideKind(document.bytes, document);
  const read = await readers[kind](document);
  const markdown = cleanText(read.markdown);
  if (markdown === '') {
    throw new ExtractionError(kind === 'pdf' ? 'It contains no text: is it a scan?' : 'It contains no text.');
  }
  if (Buffer.byteLength(markdown) > document.limits.textBytes) throw tooMuchText(document.limits);
  return { ...read, title: cleanTitle(read.title), markdown };
}

const readers: Record<Kind, (document: GivenDocument) => ReadText | Promise<ReadText>> = {
  async pdf({ bytes, limits }) {
    const { readPdf } = await import('./pdf/read-pdf.ts');
    return readPdf(bytes, limits);
  },
  async zip({ bytes, limits }) {
    const { readDocx } = await import('./docx/read-docx.ts');
    return readDocx(bytes, limits);
  },
  async html({ bytes, contentType, url }) {
    const { layOutPage } = await import('../../pages/lay-out-page.ts');
    const html = decodeText(bytes, { contentType, isHtml: true });
    return layOutPage(withoutSilentParts(html), url ?? undefined);
  },
  markdown: ({ bytes, contentType }) => readMarkdown(decodeText(bytes, { contentType, isHtml: false })),
  text: ({ bytes, contentType }) => ({
    title: null,
    markdown: decodeText(bytes, { contentType, isHtml: false }),
  }),
};
