import { EgressFailed } from '../../egress/egress-error.ts';
import { orAbort } from '../../egress/or-abort.ts';
import { everythingAllowed, parseRobots, type RobotsRules } from './robots.ts';

interface Known {
  rules: Promise<RobotsRules>;
  until: number;
}

export interface RobotsOptions {
  product: string;
  visit(url: URL, signal: AbortSignal): Promise<{ status: number; bytes: Buffer }>;
}

const keptMilliseconds = 60 * 60 * 1000;
const mostKept = 1_000;
const timeLimitMilliseconds = 60_000;

/** Asks each origin once an hour what it does not want to be read. Who has no answer forbids nothing. */
export function createRobots({ product, visit }: RobotsOptions) {
  const known = new Map<string, Known>();

  /** On nobody's behalf: others may wait for the same answer when whoever asked first has gone. */
  async function read(origin: string): Promise<RobotsRules> {
    const signal = AbortSignal.timeout(timeLimitMilliseconds);
    try {
      const { status, bytes } = await visit(new URL('/robots.txt', origin), signal);
      return status === 200 ? parseRobots(bytes.toString('utf8'), product) : everythingAllowed;
    } catch (error) {
      // The page itself will say what is wrong with its host.
      if (error instanceof EgressFailed || error instanceof DOMException) return everythingAllowed;
      throw error;
    }
  }

  return async (url: URL, signal: AbortSignal): Promise<boolean> => {
    const { origin } = url;
    const found = known.get(origin);
    const rules = found && found.until > performance.now() ? found.rules : read(origin);
    if (rules !== found?.rules) {
      known.delete(origin);
      if (known.size >= mostKept) known.delete(known.keys().next().value ?? '');
      known.set(origin, { rules, until: performance.now() + keptMilliseconds });
      // A refusal is not what the host said.
      rules.catch(() => known.delete(origin));
    }
    return (await orAbort(rules, signal))(`${url.pathname}${url.search}`);
  };
}
