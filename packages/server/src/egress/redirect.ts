import { parseTarget } from './destination.ts';
import { EgressRefused } from './egress-error.ts';
import type { RequestHeaders } from './request-headers.ts';

/** One request of a chain of redirects. */
export interface Hop {
  url: URL;
  method: string;
  headers: RequestHeaders;
  body: string | Uint8Array | undefined;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * Where a redirect sends us, by the rules of fetch. Headers that are secret are for
 * the origin they were given for: another one does not get them, and neither does a way there that can be overheard.
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string,
  isSecret: (header: string) => boolean,
): Hop {
  const url = URL.parse(location, hop.url);
  if (!url) throw new EgressRefused(`${hop.url.hostname} redirects to something that is not a URL.`);
  const target = parseTarget(url);
  const hasSecrets = Object.keys(hop.headers).some(isSecret);
  if (hop.url.protocol === 'https:' && target.protocol === 'http:' && hasSecrets) {
    throw new EgressRefused(
      `${hop.url.hostname} redirects from https to http, which would give away a secret.`,
    );
  }
  const becomesGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST');
  const dropped = (header: string) =>
    (becomesGet && header.startsWith('content-')) || (target.origin !== hop.url.origin && isSecret(header));
  return {
    url: target,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([header]) => !dropped(header))),
    body: becomesGet ? undefined : hop.body,
  };
}
