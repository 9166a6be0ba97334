import { isUnknownName } from '../../egress/ask-name-servers.ts';
import { EgressFailed, EgressRefused, toEgressError } from '../../egress/egress-error.ts';
import type { GuardedLane } from '../../egress/guarded-lane.ts';
import { SourceFailure } from '../source-failure.ts';
import { createHostTurns } from './host-turns.ts';
import { readAtMost } from './read-at-most.ts';
import { createRobots } from './robots-cache.ts';

export interface FetchedPage {
  bytes: Buffer;
  contentType: string | undefined;
  /** After redirects. */
  url: string;
}

export type FetchPage = (url: string, signal: AbortSignal) => Promise<FetchedPage>;

export interface PageFetcherOptions {
  lane: Pick<GuardedLane, 'fetch'>;
  /** Between two requests to the same host. */
  pauseMilliseconds?: number;
}

/** What robots.txt can name us by. */
const product = 'svc-knowledge';
const headers = {
  'user-agent': `${product}/1.0`,
  accept:
    'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, ' +
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document, */*;q=0.5',
};
const mostRedirects = 5;
const mostBytes = 5_242_880;
const timeLimitMilliseconds = 30_000;
/** A server that says one of these may answer otherwise soon. */
const passingStatuses = new Set([408, 425, 429]);

/**
 * Gets one page as a polite visitor: it says who it is, asks robots.txt at every hop, and comes to a host for one thing at
 * a time. Throws SourceFailure.
 */
export function createPageFetcher({ lane, pauseMilliseconds = 1_000 }: PageFetcherOptions): FetchPage {
  const inTurn = createHostTurns(pauseMilliseconds);
  const visit = (url: URL, signal: AbortSignal, most = mostBytes) =>
    inTurn(url.host, signal, async () => {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMilliseconds)]);
      const response = await lane.fetch(url, { headers, redirect: 'manual', signal: deadline });
      try {
        return await toAnswer(response, most);
      } catch (error) {
        deadline.throwIfAborted();
        throw toEgressError(error, url.hostname);
      }
    });
  const mayFetch = createRobots({ product, visit });

  return async (first, signal) => {
    let url = parse(first);
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const answer = await explained(url, signal, async () => {
        if (!(await mayFetch(url, signal))) {
          throw new SourceFailure(`The robots.txt of ${url.host} asks not to read this page.`);
        }
        return visit(url, signal);
      });
      if (answer.location === undefined) return toPage(answer, url);
      url = parse(answer.location, url);
    }
    throw new SourceFailure(`The page redirects more than ${mostRedirects} times.`);
  };
}

interface Answer {
  status: number;
  contentType: string | undefined;
  location: string | undefined;
  bytes: Buffer;
  isTooLarge: boolean;
}

async function toAnswer(response: Response, most: number): Promise<Answer> {
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status);
  const location = isRedirect ? (response.headers.get('location') ?? undefined) : undefined;
  const { bytes, isCut } = await readAtMost(response, location === undefined ? most : 0);
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? undefined,
    location,
    bytes,
    isTooLarge: isCut,
  };
}

function toPage({ status, bytes, contentType, isTooLarge }: Answer, url: URL): FetchedPage {
  if (status < 200 || status > 299) {
    const passing = status >= 500 || passingStatuses.has(status);
    throw new SourceFailure(`The page answered ${status}.`, { passing });
  }
  if (isTooLarge) throw new SourceFailure(`The page is larger than ${mostBytes} bytes.`);
  return { bytes, contentType, url: url.href };
}

function parse(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw new SourceFailure('The page redirects to something that is not a URL.');
  return url;
}

/** Whatever kept us from the page, as a sentence. */
async function explained<Result>(
  url: URL,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceFailure) throw error;
    if (error instanceof EgressRefused) throw new SourceFailure(error.message, { cause: error });
    if (error instanceof EgressFailed) {
      // A name that nobody knows is misspelt more often than it is late.
      throw new SourceFailure(error.message, { passing: !isUnknownName(error.cause), cause: error });
    }
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      const seconds = timeLimitMilliseconds / 1000;
      throw new SourceFailure(`${url.host} did not answer in full within ${seconds} seconds.`, {
        passing: true,
        cause: error,
      });
    }
    throw error;
  }
}
