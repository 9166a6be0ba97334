import { orAbort } from '../../egress/or-abort.ts';
import { SourceFailure } from '../source-failure.ts';
import { everythingAllowed, parseRobots, type RobotsRules } from './robots.ts';

interface Known {
  rules: Promise<RobotsRules>;
  until: number;
}

interface Visited {
  status: number;
  location: string | undefined;
  bytes: Buffer;
  release(): void;
}

export interface RobotsOptions {
  product: string;
  /** What is behind the most bytes is left out. */
  visit(url: URL, visitor: { signal: AbortSignal; workspaceId: string; mostBytes: number }): Promise<Visited>;
}

const keptMilliseconds = 60 * 60 * 1000;
const mostKept = 1_000;
const timeLimitMilliseconds = 60_000;
/** As the standard has them. */
const mostRedirects = 5;
const mostBytes = 500 * 1024;

/**
 * Asks each origin once an hour what it does not want to be read. Who has no such file forbids nothing; who cannot say
 * just now is asked again, and nothing is read until then.
 */
export function createRobots({ product, visit }: RobotsOptions) {
  const known = new Map<string, Known>();

  /** In the turn of whoever asked first, but to the end even if they have gone: others may wait for the same answer. */
  async function read(origin: string, workspaceId: string): Promise<RobotsRules> {
    const signal = AbortSignal.timeout(timeLimitMilliseconds);
    let url = new URL('/robots.txt', origin);
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const { status, location, bytes, release } = await visit(url, { signal, workspaceId, mostBytes });
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

  return async (url: URL, signal: AbortSignal, workspaceId: string): Promise<boolean> => {
    const { origin } = url;
    const found = known.get(origin);
    const rules = found && found.until > performance.now() ? found.rules : read(origin, workspaceId);
    if (rules !== found?.rules) {
      known.delete(origin);
      if (known.size >= mostKept) known.delete(known.keys().next().value ?? '');
      known.set(origin, { rules, until: performance.now() + keptMilliseconds });
      // A failure is not what the host said.
      rules.catch(() => {
        if (known.get(origin)?.rules === rules) known.delete(origin);
      });
    }
    return (await orAbort(rules, signal))(`${url.pathname}${url.search}`);
  };
}
