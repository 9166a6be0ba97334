import { parseNameAddress, parseVia } from './sip-addresses.ts';
import {
  type Essentials,
  headerOf,
  headersOf,
  listOf,
  type ReceivedRequest,
  type ReceivedResponse,
  type SipHeader,
  type SipMessage,
} from './sip-message.ts';

export type ParsedMessage =
  | { message: ReceivedRequest | ReceivedResponse; problem?: undefined }
  /** `refusal`: what it is answered with if its `headers` say where to; undefined for what is never answered. */
  | { message?: undefined; problem: string; refusal: Refusal | undefined; headers: SipHeader[] };

export type Refusal = 400 | 501 | 505;

const maxHeadBytes = 16_384;
const maxHeaders = 150;
const maxMethodLength = 100;

/** Reads a datagram. Never throws, whatever it contains. */
export function parseMessage(data: Buffer): ParsedMessage {
  const { head, bodyStart } = splitHead(data);
  if (head === undefined) return failed('has no end of its headers, or too many');
  const [start = '', ...lines] = unfold(head);
  const begun = parseStart(start);
  if (!begun) return failed('has no start line');
  if (lines.length > maxHeaders) return failed('has too many headers');
  const parsed = lines.map(parseHeader);
  const headers = parsed.filter((header) => header !== undefined);
  // An ACK has no response.
  const isAnswered = !/^ACK\s/i.test(start) && !('status' in begun);
  const refused = (problem: string, status: Refusal = 400) =>
    failed(problem, isAnswered ? status : undefined, headers);
  if ('refusal' in begun) return refused(begun.problem, begun.refusal);
  const message = { ...begun, headers };
  if (headers.length < parsed.length) return refused('has a malformed header');
  const essentials = readEssentials(message);
  if (typeof essentials === 'string') return refused(essentials);
  const body = readBody(message, data.subarray(bodyStart));
  if (!body) return refused('is shorter than its Content-Length');
  return { message: { ...message, ...essentials, body } };
}

function failed(problem: string, refusal?: Refusal, headers: SipHeader[] = []): ParsedMessage {
  return { problem, refusal, headers };
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

/** Undefined for what is neither a request nor a response. */
function parseStart(line: string): SipMessage | { problem: string; refusal: Refusal } | undefined {
  const body = Buffer.alloc(0);
  const [, status, reason = ''] = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/i.exec(line) ?? [];
  if (status !== undefined) return { status: Number(status), reason, headers: [], body };
  const [, method, uri] = /^([A-Za-z0-9.!%*_+`'~-]+) ([^\s<>"]+) SIP\/2\.0$/i.exec(line) ?? [];
  if (method !== undefined && method.length > maxMethodLength)
    return { problem: 'has a method that is too long', refusal: 501 };
  if (method !== undefined && uri !== undefined)
    return { method: method.toUpperCase(), uri, headers: [], body };
  const [, version] = /^[A-Za-z0-9.!%*_+`'~-]+\s.*\sSIP\/(\d+\.\d+)\s*$/i.exec(line) ?? [];
  if (version === undefined) return undefined;
  return version === '2.0'
    ? { problem: 'has a malformed request line', refusal: 400 }
    : { problem: `is of version ${version}`, refusal: 505 };
}

function parseHeader(line: string): SipHeader | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon).trim().toLowerCase();
  const value = line.slice(colon + 1).trim();
  if (colon < 1 || !/^[a-z0-9.!%*_+`'~-]+$/.test(name) || value.includes('\r')) return undefined;
  return { name: compactForms[name] ?? name, value };
}

/** Headers that a message has once. */
const single = ['from', 'to', 'call-id', 'cseq', 'max-forwards', 'content-length', 'content-type'];

/** The essentials, or what is wrong with them. */
function readEssentials(message: SipMessage): Essentials | string {
  // Whoever reads the other one would see another message.
  const twofold = single.find((name) => new Set(headersOf(message, name)).size > 1);
  if (twofold !== undefined) return `has ${twofold} twice, with different values`;
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
