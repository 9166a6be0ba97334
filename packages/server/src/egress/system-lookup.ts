import { lookup } from 'node:dns/promises';
import { createFairQueue } from '../fair-queue.ts';

/** All addresses of a name, as the system finds them: by its hosts file, its search domains and its name servers. */
export type SystemLookup = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Node has two lookups of the system's under way at once, in the whole process; each lasts for as long as a name server
 * lets it wait, and cannot be cancelled. So each user of this gets one at a time by default, and nobody both. Who waits
 * leaves when it is no longer wanted; names of one domain do not wait for all names of another.
 */
export function createSystemLookup(concurrency = 1): SystemLookup {
  const turns = createFairQueue({ concurrency });
  return (host, signal) =>
    turns.run(domainOf(host), signal, async () => {
      const found = await lookup(host, { all: true, order: 'verbatim' });
      return found.map(({ address }) => address);
    });
}

const domainOf = (host: string) => host.split('.').slice(-2).join('.');

/** A way to the same lookup for names that anybody may make up: one of them at a time stands before the others' users. */
export function oneAtATime(lookUp: SystemLookup): SystemLookup {
  const turns = createFairQueue({ concurrency: 1 });
  return (host, signal) => turns.run(domainOf(host), signal, () => lookUp(host, signal));
}
