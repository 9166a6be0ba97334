import { lookup } from 'node:dns/promises';
import { createFairQueue } from '../lib/fair-queue.ts';

/** All addresses of a name as the system resolves it: hosts file, search domains, name servers. */
export type SystemLookup = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Node runs at most two system lookups at once in the whole process; each lasts as long as the name server takes, and cannot
 * be cancelled. So each user of this gets one at a time by default, and none gets both. A waiting lookup is dropped when its
 * signal aborts; domains share it fairly.
 */
export function createSystemLookup(concurrency = 1): SystemLookup {
  const queue = createFairQueue({ concurrency });
  return (host, signal) =>
    queue.run(domainOf(host), signal, async () => {
      const found = await lookup(host, { all: true, order: 'verbatim' });
      return found.map(({ address }) => address);
    });
}

const domainOf = (host: string) => host.split('.').slice(-2).join('.');

/** The same lookup for names that anybody may make up: at most one of them at a time is ahead of other names. */
export function oneAtATime(lookUp: SystemLookup): SystemLookup {
  const queue = createFairQueue({ concurrency: 1 });
  return (host, signal) => queue.run(domainOf(host), signal, () => lookUp(host, signal));
}
