import { type NameAddress, splitOutside, type Via } from './sip-addresses.ts';

/** Names are in lower case and never in compact form. */
export interface SipHeader {
  name: string;
  value: string;
}

export interface SipRequest {
  method: string;
  uri: string;
  headers: SipHeader[];
  body: Buffer;
}

export interface SipResponse {
  status: number;
  reason: string;
  headers: SipHeader[];
  body: Buffer;
}

export type SipMessage = SipRequest | SipResponse;

/** The parsed headers that every message must have. */
export interface Essentials {
  via: Via;
  from: NameAddress;
  to: NameAddress;
  callId: string;
  cseq: { number: number; method: string };
}

export type ReceivedRequest = SipRequest & Essentials;
export type ReceivedResponse = SipResponse & Essentials;

/** Where a datagram came from or goes to. */
export interface Peer {
  address: string;
  port: number;
}

const noBody = Buffer.alloc(0);

export function isRequest(message: SipRequest | SipResponse): message is SipRequest {
  return 'method' in message;
}

/** The first header of this name. */
export function headerOf({ headers }: Pick<SipMessage, 'headers'>, name: string): string | undefined {
  return headers.find((header) => header.name === name)?.value;
}

export function headersOf({ headers }: Pick<SipMessage, 'headers'>, name: string): string[] {
  return headers.filter((header) => header.name === name).map(({ value }) => value);
}

/** The values of a header that may be given as a list, or several times. */
export function listOf(message: Pick<SipMessage, 'headers'>, name: string): string[] {
  return headersOf(message, name)
    .flatMap((value) => splitOutside(value, ','))
    .filter((value) => value !== '');
}

export function createRequest(request: Omit<SipRequest, 'body'> & { body?: Buffer | undefined }): SipRequest {
  return { ...request, body: request.body ?? noBody };
}

export function createResponse(
  response: Pick<SipResponse, 'status' | 'headers'> & { reason?: string; body?: Buffer | undefined },
): SipResponse {
  const reason = response.reason ?? reasons[response.status] ?? 'Response';
  return { status: response.status, headers: response.headers, reason, body: response.body ?? noBody };
}

const reasons: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'Version Not Supported',
  603: 'Decline',
};

/** The bytes of a message, with its Content-Length. */
export function writeMessage(message: SipMessage): Buffer {
  const start = isRequest(message)
    ? `${message.method} ${oneLine(message.uri)} SIP/2.0`
    : `SIP/2.0 ${message.status} ${oneLine(message.reason)}`;
  const headers = message.headers.filter(({ name }) => name !== 'content-length');
  const lines = [start, ...headers.map(writeHeader), `Content-Length: ${message.body.length}`, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), message.body]);
}

function writeHeader({ name, value }: SipHeader): string {
  const written = unusualNames[name] ?? name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return `${written}: ${oneLine(value)}`;
}

/** Values that we copy from others cannot add a header. */
function oneLine(value: string): string {
  return value.replaceAll(/[\r\n]+/g, ' ');
}

const unusualNames: Readonly<Record<string, string>> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'min-se': 'Min-SE',
  'www-authenticate': 'WWW-Authenticate',
};
