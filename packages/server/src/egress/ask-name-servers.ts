import { Resolver } from 'node:dns/promises';
import { waitAtMost } from '../lib/wait-at-most.ts';
import { orAbort } from './or-abort.ts';

/** Each try waits longer than the previous one, and goes to the next server if there are several. */
const patience = { timeout: 2_000, tries: 3 };
/** Some name servers answer for one address family and never answer for the other. */
const otherKindWithinMs = 500;

/**
 * All addresses of a name according to `servers`, or to the system's name servers. The queries run on the event loop, so
 * names without an answer block nothing else; the system's own lookup would occupy one of two threads for each. Name
 * servers know neither the hosts file nor search domains.
 */
export async function askNameServers(host: string, servers: readonly string[], signal: AbortSignal) {
  signal.throwIfAborted();
  // One resolver per name can be cancelled alone, and picks up changes of the system's name servers.
  const resolver = new Resolver(patience);
  if (servers.length > 0) resolver.setServers(servers);
  const found: string[] = [];
  const keep = (addresses: string[]) => void found.push(...addresses);
  const kinds = [resolver.resolve4(host).then(keep), resolver.resolve6(host).then(keep)];
  const both = Promise.allSettled(kinds);
  try {
    // If both fail, the reasons are read from `both` below.
    await orAbort(Promise.race([both, Promise.any(kinds).catch(() => undefined)]), signal);
    if (found.length > 0) await orAbort(waitAtMost(otherKindWithinMs, both), signal);
  } finally {
    resolver.cancel();
  }
  if (found.length > 0) return found;
  const reasons = (await both).flatMap((kind) =>
    kind.status === 'rejected' ? [kind.reason as unknown] : [],
  );
  // A server that failed does not prove that the name does not exist.
  throw reasons.find((reason) => !isUnknownName(reason)) ?? reasons[0];
}

const unknownCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Whether the name does not exist or has no address. */
export function isUnknownName(error: unknown): boolean {
  return unknownCodes.has(codeOf(error));
}

export function isLateAnswer(error: unknown): boolean {
  return codeOf(error) === 'ETIMEOUT';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
