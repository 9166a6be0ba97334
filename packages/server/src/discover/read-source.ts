import { AppError, invalid } from '../app-error.ts';
import { EgressFailed, EgressRefused } from '../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../egress/guarded-lane.ts';

export interface Source {
  text: string;
  /** After redirects; undefined for a text that was sent. */
  url: string | undefined;
}

export interface SourceDependencies {
  lane: Pick<GuardedLane, 'request'>;
  /** Makes readable text of a page that nobody has checked. */
  readPage(html: string, address: string, signal: AbortSignal): Promise<{ title: string; markdown: string }>;
}

const timeoutMs = 20_000;
const mostBytes = 4 * 1024 * 1024;
const accept = 'application/json, application/yaml, text/markdown, text/plain, text/html;q=0.9, */*;q=0.5';

/** Fetches a text from outside. Whatever is wrong with the address is the caller's to mend: 400 that names the field. */
export async function readSource(
  { lane, readPage }: SourceDependencies,
  url: string,
  field: string,
  signal: AbortSignal,
): Promise<Source> {
  const answer = await fetchSource(lane, url, field, signal);
  if (answer.status < 200 || answer.status > 299) {
    throw unreadable(field, `the server answered with status ${answer.status}.`);
  }
  if (answer.truncated) throw unreadable(field, `it is larger than ${mostBytes / 1024 / 1024} MB.`);
  const text = textOf(answer);
  if (text === undefined) throw unreadable(field, 'it is not text.');
  const isPage = /^\s*(<!doctype html|<html|<\?xml[^>]*>\s*<html)/i.test(text) || isHtml(answer);
  if (!isPage) return { text, url: answer.url };
  const { title, markdown } = await readPage(text, answer.url, signal);
  return { text: [title && `# ${title}`, markdown].filter(Boolean).join('\n\n'), url: answer.url };
}

async function fetchSource(
  lane: SourceDependencies['lane'],
  url: string,
  field: string,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  try {
    return await lane.request({ url, headers: { accept }, signal, timeoutMs, maxResponseBytes: mostBytes });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressRefused || error instanceof EgressFailed) {
      throw unreadable(field, error.message, error);
    }
    throw error;
  }
}

function unreadable(path: string, why: string, cause?: unknown): AppError {
  const { message, details = [] } = invalid(path, `could not be read: ${why}`);
  return new AppError('VALIDATION_FAILED', { message, details, cause });
}

function isHtml({ headers }: GuardedResponse): boolean {
  return /^(text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '');
}

/** In its own character set; undefined when it is no text. */
function textOf({ body, headers }: GuardedResponse): string | undefined {
  if (body.subarray(0, 4096).includes(0)) return undefined;
  const charset = /charset\s*=\s*"?([\w:.-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const text = decoderFor(charset).decode(body);
  const garbled = text.slice(0, 4096).split('\uFFFD').length - 1;
  return garbled > 20 ? undefined : text;
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // A character set that nobody knows: most of it will still be ASCII.
    return new TextDecoder();
  }
}
