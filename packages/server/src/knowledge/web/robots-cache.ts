import { LRUCache } from 'lru-cache';
import { orAbort } from '../../egress/or-abort.ts';
import { SourceFailure } from '../source-failure.ts';
import { everythingAllowed, parseRobots, type RobotsRules } from './robots.ts';

export interface Visit {
  url: URL;
  signal: AbortSignal;
  workspaceId: string;
  /** Bytes beyond this number are left out. */
  maxBytes: number;
}

export interface Visited {
  status: number;
  location: string | undefined;
  bytes: Buffer;
  release(): void;
}

const keptMilliseconds = 60 * 60 * 1000;
const maxOrigins = 1_000;
const timeLimitMilliseconds = 60_000;
/** As in RFC 9309. */
const maxRedirects = 5;
const maxBytes = 500 * 1024;

/**
 * Reads each origin's robots.txt once an hour. An origin without one disallows nothing; where it cannot be read at the moment,
 * nothing is fetched until it can.
 */
export function createRobots(product: string, visit: (wanted: Visit) => Promise<Visited>) {
  const known = new LRUCache<string, Promise<RobotsRules>>({ max: maxOrigins, ttl: keptMilliseconds });

  /** Uses the first caller's turn, but continues even if that caller is gone, because others may wait for the same rules. */
  async function read(origin: string, workspaceId: string): Promise<RobotsRules> {
    const signal = AbortSignal.timeout(timeLimitMilliseconds);
    let url = new URL('/robots.txt', origin);
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const { status, location, bytes, release } = await visit({ url, signal, workspaceId, maxBytes });
      release();
      if (status >= 500) {
        throw new SourceFailure(`The robots.txt of ${url.host} answered ${status}.`, { passing: true });
      }
      if (status >= 200 && status <= 299) return parseRobots(bytes.toString('utf8'), product);
      const next = location === undefined ? null : URL.parse(location, url);
      if (!next) break;
      url = next;
    }
    return everythingAllowed;
  }

  function start(origin: string, workspaceId: string): Promise<RobotsRules> {
    const rules = read(origin, workspaceId);
    known.set(origin, rules);
    // A failure says nothing about what the host allows.
    rules.catch(() => {
      if (known.peek(origin) === rules) known.delete(origin);
    });
    return rules;
  }

  return async (url: URL, signal: AbortSignal, workspaceId: string): Promise<boolean> => {
    const { origin } = url;
    const rules = known.get(origin) ?? start(origin, workspaceId);
    return (await orAbort(rules, signal))(`${url.pathname}${url.search}`);
  };
}
