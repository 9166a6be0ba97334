import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { orAbort } from './or-abort.ts';

/** Each try waits longer than the one before, and goes to the next server where there are several. */
const patience = { timeout: 2_000, tries: 3 };
/** Some name servers answer for one kind of address and stay silent for the other. */
const otherKindWithinMs = 500;

/**
 * All addresses of a name, as the name servers give them: `servers`, or those of the system. They are asked from the event
 * loop, so that any number of names that nobody answers for holds up nothing else; the system's own lookup would keep a
 * thread for each, and there are two. They know neither the hosts file nor search domains.
 */
export async function askNameServers(
  host: string,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  signal.throwIfAborted();
  // One for each name: it can be cancelled alone, and sees it when the system's name servers have changed.
  const resolver = new Resolver(patience);
  if (servers.length > 0) resolver.setServers(servers);
  const found: string[] = [];
  const keep = (addresses: string[]) => void found.push(...addresses);
  const kinds = [resolver.resolve4(host).then(keep), resolver.resolve6(host).then(keep)];
  const both = Promise.allSettled(kinds);
  try {
    // If both fail, `both` says why, below.
    await orAbort(Promise.race([both, Promise.any(kinds).catch(() => undefined)]), signal);
    if (found.length > 0) await orAbort(Promise.race([both, sleep(otherKindWithinMs)]), signal);
  } finally {
    resolver.cancel();
  }
  if (found.length > 0) return found;
  const reasons = (await both).flatMap((kind) =>
    kind.status === 'rejected' ? [kind.reason as unknown] : [],
  );
  // A server that could not say is no proof that there is no such name.
  throw reasons.find((reason) => !isUnknownName(reason)) ?? reasons[0];
}

const unknownCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Whether the answer was that there is no such name, or no address for it. */
export function isUnknownName(error: unknown): boolean {
  return unknownCodes.has(codeOf(error));
}

export function isLateAnswer(error: unknown): boolean {
  return codeOf(error) === 'ETIMEOUT';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
