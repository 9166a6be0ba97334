import { parseVia } from './sip-addresses.ts';
import {
  createResponse,
  headerOf,
  listOf,
  type Peer,
  type ReceivedRequest,
  type SipHeader,
  type SipResponse,
} from './sip-message.ts';

export interface ResponseParts {
  /** Names our side of the dialog; every response but 100 has one. */
  tag?: string;
  headers?: SipHeader[];
  body?: Buffer;
}

/** A response to this request, with what has to be repeated of it. */
export function respondTo(
  request: Pick<ReceivedRequest, 'headers'>,
  status: number,
  { tag, headers = [], body }: ResponseParts = {},
): SipResponse {
  const to = headerOf(request, 'to') ?? '';
  const hasTag = /;\s*tag\s*=/i.test(to.slice(to.lastIndexOf('>') + 1));
  const repeated = (name: string): SipHeader[] => {
    const value = headerOf(request, name);
    return value === undefined ? [] : [{ name, value }];
  };
  const routes = status < 300 && tag !== undefined ? listOf(request, 'record-route') : [];
  return createResponse({
    status,
    body,
    headers: [
      ...listOf(request, 'via').map((value) => ({ name: 'via', value })),
      ...routes.map((value) => ({ name: 'record-route', value })),
      ...repeated('from'),
      { name: 'to', value: hasTag || tag === undefined ? to : `${to};tag=${tag}` },
      ...repeated('call-id'),
      ...repeated('cseq'),
      ...headers,
    ],
  });
}

/** The request's headers with the address that it really came from, so that the response finds its way back (RFC 3581). */
export function withSource(headers: SipHeader[], source: Peer): SipHeader[] {
  const index = headers.findIndex(({ name }) => name === 'via');
  const [first = '', ...others] = listOf({ headers }, 'via');
  const noted = first
    .replace(/;\s*rport\s*(?==|;|$)(=\s*\d*)?/i, `;rport=${source.port}`)
    .replaceAll(/;\s*received\s*=[^;]*/gi, '');
  const written = `${noted};received=${source.address}`;
  return [
    ...headers.slice(0, index).filter(({ name }) => name !== 'via'),
    ...[written, ...others].map((value) => ({ name: 'via', value })),
    ...headers.slice(index).filter(({ name }) => name !== 'via'),
  ];
}

/** Where a response goes: back to where the request came from, at the port that its sender wants. */
export function replyAddress(request: Pick<ReceivedRequest, 'headers'>, source: Peer): Peer {
  const via = parseVia(listOf(request, 'via')[0] ?? '');
  if (!via || via.parameters.has('rport')) return source;
  return { address: source.address, port: via.port ?? 5060 };
}
