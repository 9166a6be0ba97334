import { isUnknownName } from '../../egress/ask-name-servers.ts';
import { EgressFailed, EgressRefused, toEgressError } from '../../egress/egress-error.ts';
import type { GuardedLane } from '../../egress/guarded-lane.ts';
import { isRedirect } from '../../egress/redirect.ts';
import { createFairQueue, type FairQueue } from '../../lib/fair-queue.ts';
import { SourceFailure } from '../source-failure.ts';
import { createHostQueue } from './host-queue.ts';
import { createRobots, type Visit, type Visited } from './robots-cache.ts';
import { WaitedTooLong, waitAtMost } from './waited-too-long.ts';

export interface FetchedPage {
  bytes: Buffer;
  contentType: string | undefined;
  /** After redirects. */
  url: string;
  /** Call it when the bytes are no longer needed, so that others can read long pages. */
  release(): void;
}

/** Workspaces that want the same host, or long pages, share fairly. */
export type FetchPage = (url: string, signal: AbortSignal, workspaceId?: string) => Promise<FetchedPage>;

/** The page is long, and as many long pages as may be are in memory. */
class NoRoom extends Error {}

/** Our name in robots.txt. */
const product = 'svc-knowledge';
const headers = {
  'user-agent': `${product}/1.0`,
  accept:
    'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, ' +
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document, */*;q=0.5',
};
const maxRedirects = 5;
const maxBytes = 5_242_880;
/** Every page may take this much memory; longer ones wait until there is room. */
const fewBytes = 256 * 1024;
const longPages = { concurrency: 16, perGroup: 6 };
const timeLimitMilliseconds = 30_000;
/** Statuses after which a retry may succeed soon. */
const passingStatuses = new Set([408, 425, 429]);

/**
 * Fetches one page politely: it identifies itself, obeys robots.txt at every hop, and sends one request at a time to a host.
 * Throws SourceFailure, or WaitedTooLong after the longest wait in a queue.
 */
export function createPageFetcher(options: {
  lane: Pick<GuardedLane, 'fetch'>;
  /** Pause between two requests to the same host. */
  pauseMilliseconds?: number;
  /** The longest wait in a queue, after which other jobs run first. */
  maxWaitMilliseconds?: number;
}): FetchPage {
  const { lane, pauseMilliseconds = 1_000, maxWaitMilliseconds = 5 * 60 * 1000 } = options;
  const runAtHost = createHostQueue(pauseMilliseconds, maxWaitMilliseconds);
  const longPageQueue = createFairQueue(longPages);

  /** `held` makes room for another long page, if this one has it already. */
  async function visitNow(wanted: Visit, held?: () => void): Promise<Answer> {
    const { url, signal, workspaceId } = wanted;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMilliseconds)]);
    let release = held;
    async function onMany(): Promise<void> {
      release ??= await enterNow(longPageQueue, workspaceId);
      if (!release) throw new NoRoom();
    }
    try {
      const response = await lane.fetch(url, { headers, redirect: 'manual', signal: deadline });
      return await toAnswer(response, wanted.maxBytes, () => release?.(), onMany);
    } catch (error) {
      if (error instanceof NoRoom) throw error;
      release?.();
      deadline.throwIfAborted();
      throw toEgressError(error, url.hostname);
    }
  }

  async function visit(wanted: Visit): Promise<Answer> {
    const { signal, workspaceId } = wanted;
    const visitor = { host: wanted.url.host, workspaceId, signal };
    try {
      return await runAtHost(visitor, () => visitNow(wanted));
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
    }
    // Others may use the host while this one waits for room and then tries again.
    const release = await waitAtMost(maxWaitMilliseconds, signal, (waiting) =>
      longPageQueue.enter(workspaceId, waiting),
    );
    try {
      return await runAtHost(visitor, () => visitNow(wanted, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  const mayFetch = createRobots(product, visit);
  return async (first, signal, workspaceId = '') => {
    let url = parse(first);
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const answer = await explained(url, signal, async () => {
        if (!(await mayFetch(url, signal, workspaceId))) {
          throw new SourceFailure(`The robots.txt of ${url.host} asks not to read this page.`);
        }
        return visit({ url, signal, workspaceId, maxBytes });
      });
      if (answer.location === undefined) return toPage(answer, url);
      answer.release();
      url = parse(answer.location, url);
    }
    throw new SourceFailure(`The page redirects more than ${maxRedirects} times.`);
  };
}

interface Answer extends Visited {
  contentType: string | undefined;
  isTooLarge: boolean;
}

async function toAnswer(
  response: Response,
  most: number,
  release: () => void,
  onMany: () => Promise<void>,
): Promise<Answer> {
  const location = isRedirect(response.status) ? (response.headers.get('location') ?? undefined) : undefined;
  const maxRead = location === undefined ? most : 0;
  const { bytes, isCut } = await readAtMost(response, { maxBytes: maxRead, fewBytes, onMany });
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
  if (isFine) throw new SourceFailure(`The page is larger than ${maxBytes} bytes.`);
  const passing = status >= 500 || passingStatuses.has(status);
  throw new SourceFailure(`The page answered ${status}.`, { passing });
}

function parse(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw new SourceFailure('The page redirects to something that is not a URL.');
  return url;
}

/** Turns whatever kept us from the page into a sentence. */
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
      // An unknown name is more often misspelt than temporarily missing.
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

/** Takes a place if one is free right now. */
async function enterNow(queue: FairQueue, group: string): Promise<(() => void) | undefined> {
  const impatient = new AbortController();
  // The signal only ends the wait: if a place is free, it is taken before the signal aborts.
  const entering = queue.enter(group, impatient.signal);
  const none = new Error('There is no place.');
  impatient.abort(none);
  try {
    return await entering;
  } catch (error) {
    if (error !== none) throw error;
    return undefined;
  }
}

interface ReadLimits {
  maxBytes: number;
  /** This much is always read. */
  fewBytes: number;
  /** Awaited before more than that is read. */
  onMany(): Promise<void>;
}

/** Reads the beginning of a body; stopping early closes the connection. */
async function readAtMost(
  { body }: Response,
  { maxBytes: most, fewBytes: few, onMany }: ReadLimits,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isMany = false;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) break;
    if (size <= few || isMany) continue;
    isMany = true;
    await onMany();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: size > most };
}
