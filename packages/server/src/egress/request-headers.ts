import { validateHeaderName, validateHeaderValue } from 'node:http';
import { EgressRefused } from './egress-error.ts';

export type RequestHeaders = Record<string, string>;

/** They determine where a request goes and where it ends: a caller who sets them could smuggle in a second request. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Sent with every request. */
export const defaultHeaders: Readonly<RequestHeaders> = {
  accept: '*/*',
  'accept-encoding': 'gzip, br, deflate',
  'user-agent': 'svc',
};

/** Whether a caller may set this header at all. */
export function isConnectionHeader(name: string): boolean {
  return connectionHeaders.has(name.toLowerCase());
}

/** Lower-case names, with our defaults filled in. What HTTP cannot carry, such as a line break, is refused. */
export function prepareHeaders(given: Readonly<Record<string, string>>): RequestHeaders {
  const headers: RequestHeaders = { ...defaultHeaders };
  for (const [name, value] of Object.entries(given)) {
    if (isConnectionHeader(name))
      throw new EgressRefused('header', `The header ${name.toLowerCase()} cannot be set.`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      // The error's own text shows the value, which may be a secret.
      throw new EgressRefused('header', 'A header has a name or a value that HTTP cannot carry.');
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
