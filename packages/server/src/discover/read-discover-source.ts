import { EgressFailed, EgressRefused } from '../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../egress/guarded-lane.ts';
import { draftFailed } from './discover-failure.ts';
import { decodeText } from './openapi/draft-document.ts';

export interface Source {
  text: string;
  /** After redirects; undefined for a text from the request. */
  url: string | undefined;
}

/** Not decoded yet, because a long text is decoded in a thread. */
export interface FetchedBytes {
  bytes: Uint8Array;
  charset: string;
  url: string;
}

export interface SourceDependencies {
  lane: Pick<GuardedLane, 'request'>;
  /** Makes readable text of an untrusted page. */
  readPage(html: string, address: string, signal: AbortSignal): Promise<{ title: string; markdown: string }>;
}

export interface FetchOptions {
  url: string;
  /** The field of the request that it came from. */
  field: string;
  maxBytes: number;
  signal: AbortSignal;
}

const timeoutMs = 60_000;
const mb = 1024 * 1024;
/** For pages, and for every text that goes to a model. */
export const maxTextBytes = 4 * mb;
const accept = 'application/json, application/yaml, text/markdown, text/plain, text/html;q=0.9, */*;q=0.5';

/** Fetches a text. Throws UPSTREAM_FAILED that names the field and the problem. */
export async function readSource(dependencies: SourceDependencies, options: FetchOptions): Promise<Source> {
  const fetched = await fetchBytes(dependencies, options);
  return { text: decodeText(fetched), url: fetched.url };
}

/** The same, not decoded; a page is reduced to its readable text. */
export async function fetchBytes(
  { lane, readPage }: SourceDependencies,
  options: FetchOptions,
): Promise<FetchedBytes> {
  const { field, maxBytes, signal } = options;
  const answer = await request(lane, options);
  if (answer.status < 200 || answer.status > 299) {
    throw unreadable(field, `the server answered with status ${answer.status}.`);
  }
  if (answer.truncated) throw tooLarge(field, maxBytes);
  const { body: bytes, url } = answer;
  const charset = /charset\s*=\s*"?([\w:.-]+)/i.exec(answer.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const beginning = decodeText({ bytes: bytes.subarray(0, 4096), charset });
  const isBinary = bytes.subarray(0, 4096).includes(0) || beginning.split('\uFFFD').length - 1 > 20;
  if (isBinary) throw unreadable(field, 'it is not text.');
  if (!/^\s*(<!doctype html|<html|<\?xml[^>]*>\s*<html)/i.test(beginning) && !isHtml(answer)) {
    return { bytes, charset, url };
  }
  if (bytes.length > maxTextBytes) throw tooLarge(field, maxTextBytes);
  const { title, markdown } = await readPage(decodeText({ bytes, charset }), url, signal);
  const text = [title && `# ${title}`, markdown].filter(Boolean).join('\n\n');
  return { bytes: Buffer.from(text), charset: 'utf-8', url };
}

async function request(
  lane: SourceDependencies['lane'],
  { url, field, maxBytes, signal }: FetchOptions,
): Promise<GuardedResponse> {
  try {
    return await lane.request({ url, headers: { accept }, signal, timeoutMs, maxResponseBytes: maxBytes });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressRefused || error instanceof EgressFailed) {
      throw unreadable(field, error.message, error);
    }
    throw error;
  }
}

function tooLarge(path: string, most: number): Error {
  return unreadable(path, `it is larger than ${most / mb} MB.`);
}

function unreadable(path: string, why: string, cause?: unknown): Error {
  const message = `could not be read: ${why}`;
  return draftFailed(`${path} ${message}`, [{ path, message }], cause);
}

function isHtml({ headers }: GuardedResponse): boolean {
  return /^(text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '');
}
