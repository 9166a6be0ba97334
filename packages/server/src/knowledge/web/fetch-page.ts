import { isUnknownName } from '../../egress/ask-name-servers.ts';
import { EgressFailed, EgressRefused, toEgressError } from '../../egress/egress-error.ts';
import type { GuardedLane } from '../../egress/guarded-lane.ts';
import { createFairQueue } from '../../fair-queue.ts';
import { SourceFailure } from '../source-failure.ts';
import { enterNow } from './enter-now.ts';
import { createHostTurns } from './host-turns.ts';
import { readAtMost } from './read-at-most.ts';
import { createRobots } from './robots-cache.ts';
import { createTimeLimit } from './time-limit.ts';
import { WaitedTooLong, waitAtMost } from './waited-too-long.ts';

export interface FetchedPage {
  bytes: Buffer;
  contentType: string | undefined;
  /** After redirects. */
  url: string;
  /** Lets others read long pages: to be called when the bytes are no longer needed. */
  release(): void;
}

/** On behalf of a workspace: those that want the same host, or long pages, take turns. */
export type FetchPage = (url: string, signal: AbortSignal, workspaceId?: string) => Promise<FetchedPage>;

export interface PageFetcherOptions {
  lane: Pick<GuardedLane, 'fetch'>;
  /** Between two requests to the same host. */
  pauseMilliseconds?: number;
  /** For a turn: longer than this, and somebody else may use the job's place. */
  longestWaitMilliseconds?: number;
}

/** The page is long, and there is no place for it now. */
class NoPlace extends Error {}

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
/** Anybody may hold so much, however many pages are under way; what is longer waits for a place. */
const fewBytes = 256 * 1024;
const longPages = { concurrency: 16, perGroup: 6 };
const timeLimitMilliseconds = 30_000;
/** A server that says one of these may answer otherwise soon. */
const passingStatuses = new Set([408, 425, 429]);

/**
 * Gets one page as a polite visitor: it says who it is, asks robots.txt at every hop, and comes to a host for one thing at
 * a time. Throws SourceFailure, or WaitedTooLong when its turn did not come.
 */
export function createPageFetcher({
  lane,
  pauseMilliseconds = 1_000,
  longestWaitMilliseconds = 5 * 60 * 1000,
}: PageFetcherOptions): FetchPage {
  const inTurn = createHostTurns({ pauseMilliseconds, longestWaitMilliseconds });
  const longTurns = createFairQueue(longPages);

  /** `held` is the place for a long page, if there is one already. */
  async function visitNow({ url, signal, workspaceId, most }: Visit, held?: () => void): Promise<Answer> {
    const limit = createTimeLimit(timeLimitMilliseconds);
    const deadline = AbortSignal.any([signal, limit.signal]);
    let release = held;
    async function onMany(): Promise<void> {
      release ??= await enterNow(longTurns, workspaceId);
      if (!release) throw new NoPlace();
    }
    try {
      const response = await lane.fetch(url, { headers, redirect: 'manual', signal: deadline });
      return await toAnswer(response, most, () => release?.(), onMany);
    } catch (error) {
      if (error instanceof NoPlace) throw error;
      release?.();
      deadline.throwIfAborted();
      throw toEgressError(error, url.hostname);
    } finally {
      limit.clear();
    }
  }

  async function visit(wanted: Visit): Promise<Answer> {
    const { signal, workspaceId } = wanted;
    const visitor = { host: wanted.url.host, workspaceId, signal };
    try {
      return await inTurn(visitor, () => visitNow(wanted));
    } catch (error) {
      if (!(error instanceof NoPlace)) throw error;
    }
    // Others have the host's turn while this one waits for its place; then it comes again.
    const release = await waitAtMost(longestWaitMilliseconds, signal, (waiting) =>
      longTurns.enter(workspaceId, waiting),
    );
    try {
      return await inTurn(visitor, () => visitNow(wanted, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  const mayFetch = createRobots({
    product,
    visit: (url, { signal, workspaceId, mostBytes: most }) => visit({ url, signal, workspaceId, most }),
  });

  return async (first, signal, workspaceId = '') => {
    let url = parse(first);
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const answer = await explained(url, signal, async () => {
        if (!(await mayFetch(url, signal, workspaceId))) {
          throw new SourceFailure(`The robots.txt of ${url.host} asks not to read this page.`);
        }
        return visit({ url, signal, workspaceId, most: mostBytes });
      });
      if (answer.location === undefined) return toPage(answer, url);
      answer.release();
      url = parse(answer.location, url);
    }
    throw new SourceFailure(`The page redirects more than ${mostRedirects} times.`);
  };
}

interface Visit {
  url: URL;
  signal: AbortSignal;
  workspaceId: string;
  most: number;
}

interface Answer {
  status: number;
  contentType: string | undefined;
  location: string | undefined;
  bytes: Buffer;
  isTooLarge: boolean;
  release(): void;
}

async function toAnswer(
  response: Response,
  most: number,
  release: () => void,
  onMany: () => Promise<void>,
): Promise<Answer> {
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status);
  const location = isRedirect ? (response.headers.get('location') ?? undefined) : undefined;
  const mostRead = location === undefined ? most : 0;
  const { bytes, isCut } = await readAtMost(response, { mostBytes: mostRead, fewBytes, onMany });
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? undefined,
    location,
    bytes,
    isTooLarge: isCut,
    release,
  };
}

function toPage({ status, bytes, contentType, isTooLarge, release }: Answer, url: URL): FetchedPage {
  const isFine = status >= 200 && status <= 299;
  if (isFine && !isTooLarge) return { bytes, contentType, url: url.href, release };
  release();
  if (isFine) throw new SourceFailure(`The page is larger than ${mostBytes} bytes.`);
  const passing = status >= 500 || passingStatuses.has(status);
  throw new SourceFailure(`The page answered ${status}.`, { passing });
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
    if (error instanceof SourceFailure || error instanceof WaitedTooLong) throw error;
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
