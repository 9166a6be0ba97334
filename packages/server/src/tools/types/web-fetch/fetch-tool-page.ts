import { EgressFailed, EgressRefused } from '../../../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../../../egress/guarded-lane.ts';
import type { PageReader } from '../../../pages/page-reader.ts';
import { failed } from '../../tool-result.ts';
import type { ToolResult } from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import { createRedactor } from '../shared/redactor.ts';
import { mediaTypeOf, textOf } from '../shared/response-text.ts';

export interface PageVisit {
  url: string;
  lane: GuardedLane;
  reader: PageReader;
  mayVisit: ((url: URL) => boolean) | undefined;
  signal: AbortSignal;
}

interface ReadPage {
  title: string;
  text: string;
  note: string;
}

const timeoutMs = 20_000;
const maxPageBytes = 2 * 1024 * 1024;
const maxTextBytes = 48 * 1024;
const maxErrorBytes = 2 * 1024;

/** Fetches one page, and nothing that it refers to, and converts it to text. */
export async function fetchPage({ url, lane, reader, mayVisit, signal }: PageVisit): Promise<ToolResult> {
  const headers = { accept: 'text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5' };
  try {
    const answer = await lane.request({
      url,
      headers,
      signal,
      timeoutMs,
      maxResponseBytes: maxPageBytes,
      ...(mayVisit && { mayVisit }),
    });
    return present(answer, await readPage(answer, reader, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EgressRefused || error instanceof EgressFailed)) throw error;
    return failed(error.message);
  }
}

async function readPage(answer: GuardedResponse, reader: PageReader, signal: AbortSignal): Promise<ReadPage> {
  const { body, headers, url } = answer;
  const type = mediaTypeOf(headers['content-type']);
  const text = textOf(body, withCharacterSet(headers['content-type'] ?? '', body));
  if (text === undefined) {
    const size = `${body.length}${answer.truncated ? ' or more' : ''} bytes`;
    return {
      title: '',
      text: '',
      note: `This is ${type || 'a file'} (${size}), not text: it cannot be shown.`,
    };
  }
  const isPage = type === 'text/html' || type === 'application/xhtml+xml' || (!type && /^\s*</.test(text));
  if (!isPage) return { title: '', text, note: '' };
  const { title, markdown } = await reader.read(text, url, signal);
  return { title, text: markdown, note: markdown === '' ? 'The page has no text of its own.' : '' };
}

/** Old pages declare their character set only in the HTML. */
function withCharacterSet(contentType: string, body: Buffer): string {
  if (/charset=/i.test(contentType) || !/html/i.test(contentType)) return contentType;
  const start = body.subarray(0, 1024).toString('latin1');
  const charset = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(start)?.[1];
  return charset ? `${contentType}; charset=${charset}` : contentType;
}

/** The source comes first, so that a long text cannot displace it. */
function present(answer: GuardedResponse, page: ReadPage): ToolResult {
  const clean = createRedactor([]);
  const isFine = answer.status >= 200 && answer.status < 300;
  const title = boundText(clean.text(page.title).replaceAll(/\s+/g, ' ').trim(), 300).text;
  const { text, cut } = boundText(clean.text(page.text), isFine ? maxTextBytes : maxErrorBytes);
  const truncated = cut || answer.truncated;
  const content = [
    [title && `Title: ${title}`, `URL: ${answer.url}`].filter(Boolean).join('\n'),
    isFine ? '' : `The server answered with status ${answer.status}.`,
    text,
    page.note,
    truncated ? 'The page is longer than this: the rest is left out.' : '',
  ];
  return {
    status: isFine ? 'ok' : 'error',
    content: content.filter(Boolean).join('\n\n'),
    result: { status: answer.status, url: answer.url, title, text, ...(truncated && { truncated }) },
  };
}
