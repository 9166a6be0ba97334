import { parseNameAddress, parseVia } from './sip-addresses.ts';
import {
  type Essentials,
  headerOf,
  listOf,
  type ReceivedRequest,
  type ReceivedResponse,
  type SipHeader,
  type SipMessage,
} from './sip-message.ts';

export type ParsedMessage =
  | { message: ReceivedRequest | ReceivedResponse; problem?: undefined }
  /** `isRequest`: it is answered if its `headers` say where to. */
  | { message?: undefined; problem: string; isRequest: boolean; headers: SipHeader[] };

const maxHeadBytes = 16_384;
const maxHeaders = 150;

/** Reads a datagram. Never throws, whatever it contains. */
export function parseMessage(data: Buffer): ParsedMessage {
  const { head, bodyStart } = splitHead(data);
  if (head === undefined) return failed('has no end of its headers, or too many');
  const [start = '', ...lines] = unfold(head);
  const message = parseStart(start);
  if (!message) return failed('has no start line');
  const isRequest = 'method' in message;
  if (lines.length > maxHeaders) return failed('has too many headers');
  for (const line of lines) {
    const header = parseHeader(line);
    if (!header) return failed('has a malformed header', isRequest, message.headers);
    message.headers.push(header);
  }
  const essentials = readEssentials(message);
  if (typeof essentials === 'string') return failed(essentials, isRequest, message.headers);
  const body = readBody(message, data.subarray(bodyStart));
  if (!body) return failed('is shorter than its Content-Length', isRequest, message.headers);
  return { message: { ...message, ...essentials, body } };
}

function failed(problem: string, isRequest = false, headers: SipHeader[] = []): ParsedMessage {
  return { problem, isRequest, headers };
}

function splitHead(data: Buffer): { head: string | undefined; bodyStart: number } {
  const ends = ['\r\n\r\n', '\n\n'].map((mark) => ({ at: data.indexOf(mark), length: mark.length }));
  const [end] = ends.filter(({ at }) => at !== -1).toSorted((one, other) => one.at - other.at);
  const at = end?.at ?? data.length;
  if (at > maxHeadBytes) return { head: undefined, bodyStart: 0 };
  return { head: data.toString('utf8', 0, at), bodyStart: at + (end?.length ?? 0) };
}

/** A line that begins with a space continues the one before. */
function unfold(head: string): string[] {
  const lines: string[] = [];
  for (const line of head.replace(/^[\r\n]+/, '').split(/\r?\n/)) {
    const isContinued = /^[ \t]/.test(line) && lines.length > 0;
    if (isContinued) lines.push(`${lines.pop()} ${line.trim()}`);
    else if (line !== '') lines.push(line);
  }
  return lines;
}

function parseStart(line: string): SipMessage | undefined {
  const body = Buffer.alloc(0);
  const [, status, reason = ''] = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/i.exec(line) ?? [];
  if (status !== undefined) return { status: Number(status), reason, headers: [], body };
  const [, method, uri] = /^([A-Za-z0-9.!%*_+`'~-]{1,32}) (\S+) SIP\/2\.0$/i.exec(line) ?? [];
  if (method === undefined || uri === undefined) return undefined;
  return { method: method.toUpperCase(), uri, headers: [], body };
}

function parseHeader(line: string): SipHeader | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon).trim().toLowerCase();
  const value = line.slice(colon + 1).trim();
  if (colon < 1 || !/^[a-z0-9.!%*_+`'~-]+$/.test(name) || value.includes('\r')) return undefined;
  return { name: compactForms[name] ?? name, value };
}

/** The essentials, or what is wrong with them. */
function readEssentials(message: SipMessage): Essentials | string {
  const via = parseVia(listOf(message, 'via')[0] ?? '');
  if (!via) return 'has no valid Via';
  const from = parseNameAddress(headerOf(message, 'from') ?? '');
  const to = parseNameAddress(headerOf(message, 'to') ?? '');
  if (!from || !to) return `has no valid ${from ? 'To' : 'From'}`;
  const callId = headerOf(message, 'call-id');
  if (!callId || callId.length > 512) return 'has no valid Call-ID';
  const [, number = '', method = ''] = /^(\d{1,10})\s+(\S+)$/.exec(headerOf(message, 'cseq') ?? '') ?? [];
  if (number === '' || Number(number) > 0x7fff_ffff) return 'has no valid CSeq';
  const isOther = 'method' in message && method.toUpperCase() !== message.method;
  if (isOther) return 'has a CSeq of another method';
  return { via, from, to, callId, cseq: { number: Number(number), method: method.toUpperCase() } };
}

function readBody(message: SipMessage, rest: Buffer): Buffer | undefined {
  const value = headerOf(message, 'content-length');
  if (value === undefined) return rest;
  const length = /^\d{1,6}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY;
  return length > rest.length ? undefined : rest.subarray(0, length);
}

const compactForms: Readonly<Record<string, string>> = {
  b: 'referred-by',
  c: 'content-type',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
};
