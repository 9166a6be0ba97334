import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIPv6, type LookupFunction } from 'node:net';
import { shareWork } from './share-work.ts';
import { createSystemLookup } from './system-lookup.ts';

const atOnce = 2;
const withinMs = 10_000;

/**
 * For connections to configured hosts. Many connections go to few hosts, so concurrent connections to a host share one lookup,
 * and a host whose name server is down does not block the others.
 */
export function createTrustedLookup(): LookupFunction {
  const find = shareWork(createSystemLookup(atOnce));

  async function findKind(host: string, kind: LookupOptions['family']): Promise<LookupAddress[]> {
    const found = await find(host, AbortSignal.timeout(withinMs));
    const entries = found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    return entries.filter(({ family }) => !kind || family === familyOf(kind));
  }

  async function answer(...[host, options, callback]: Parameters<LookupFunction>): Promise<void> {
    let failure: NodeJS.ErrnoException = failureOf('ENOTFOUND', host);
    const found = await findKind(host, options.family).catch((error: NodeJS.ErrnoException) => {
      failure = typeof error.code === 'string' ? error : failureOf('EAI_AGAIN', host);
      return [];
    });
    const [first] = found;
    if (!first) callback(failure, '');
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  }

  return (host, options, callback) => void answer(host, options, callback);
}

function familyOf(family: number | 'IPv4' | 'IPv6'): number {
  return family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
}

/** The error that the system's own lookup would give. */
function failureOf(code: string, host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, hostname: host });
}
