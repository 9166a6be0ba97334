import { parseTarget } from './destination.ts';
import { EgressRefused } from './egress-error.ts';
import { defaultHeaders, type RequestHeaders } from './request-headers.ts';

/** One request of a chain of redirects. */
export interface Hop {
  url: URL;
  method: string;
  headers: RequestHeaders;
  body: string | Uint8Array | undefined;
  /** The body may only be sent to the first origin. */
  isBodySecret?: boolean;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * Where a redirect leads, by the rules of fetch. Secrets stay with the origin they were given for: another origin gets our
 * default headers instead, and no secret moves from https to http.
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string,
  isSecret: (header: string) => boolean,
): Hop {
  const url = URL.parse(location, hop.url);
  if (!url)
    throw new EgressRefused('redirect', `${hop.url.hostname} redirects to something that is not a URL.`);
  const target = parseTarget(url);
  const secrets = Object.entries(hop.headers).filter(
    ([header, value]) => isSecret(header) && value !== defaultHeaders[header],
  );
  if (hop.url.protocol === 'https:' && target.protocol === 'http:' && secrets.length > 0) {
    throw new EgressRefused(
      'redirect',
      `${hop.url.hostname} redirects from https to http, which would give away a secret.`,
    );
  }
  const becomesGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST');
  const isElsewhere = target.origin !== hop.url.origin;
  if (isElsewhere && !becomesGet && hop.isBodySecret && hop.body !== undefined) {
    throw new EgressRefused(
      'redirect',
      `${hop.url.hostname} redirects to another origin, which would be given what was meant for this one: name that origin instead.`,
    );
  }
  const headers = { ...hop.headers, ...(isElsewhere && withoutValues(secrets)) };
  const isLeftOut = (header: string) => becomesGet && header.startsWith('content-');
  return {
    ...hop,
    url: target,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(
      Object.entries(headers).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && !isLeftOut(entry[0]),
      ),
    ),
    body: becomesGet ? undefined : hop.body,
  };
}

/** Our default value of each header, if there is one. */
function withoutValues(headers: [string, string][]): Record<string, string | undefined> {
  return Object.fromEntries(headers.map(([header]) => [header, defaultHeaders[header]]));
}
