import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { IndexedChunk } from '../chunks/index-chunks.ts';
import { ExtractionError } from '../source-failure.ts';
import { childCommand } from './child-command.ts';
import { type Answered, explainEnd } from './explain-end.ts';
import { packMessage } from './extraction-message.ts';
import { type ExtractionLimits, usualLimits } from './limits.ts';
import { type ChildEnd, runChild } from './run-child.ts';
import type { ReadText, Task } from './tasks.ts';

export interface ExtractorOptions extends Partial<ExtractionLimits> {
  /** The number of documents that are read at the same time. */
  concurrency?: number;
  /** Called with the id of every process that is started. */
  onStart?: (pid: number) => void;
}

export interface Document {
  bytes: Uint8Array;
  /** The name of the upload; null for a page. */
  filename: string | null;
  contentType?: string | null;
  /** The page's address, which relative links are resolved against. */
  url?: string;
  /** Workspaces alternate, so that documents of one do not wait for all of another. */
  workspaceId?: string;
}

export interface Extractor {
  /** The text of a document. Throws ExtractionError when it cannot be read. */
  extract(document: Document, signal: AbortSignal): Promise<ReadText>;
  /**
   * The passages of a source, ready to be stored: splitIntoChunks and indexChunks, which take seconds for a long text, without
   * blocking anything else. The title, if there is one, is the top heading of every passage.
   */
  split(
    markdown: string,
    options: { title: string | null; workspaceId: string },
    signal: AbortSignal,
  ): Promise<IndexedChunk[]>;
  /** Ends all running processes and waits for them. */
  close(): Promise<void>;
}

const batchSize = 100;
/** How much larger chunks are than their text: overlaps, repeated headers, headings, terms and JSON. */
const chunkedGrowth = 8;
const headBytes = 64 * 1024;

/**
 * Reads untrusted documents. Each is read in its own process, which has access to nothing but the document's bytes:
 * whatever a document does to its reader, the service continues.
 */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const { concurrency = defaultConcurrency(), onStart, ...given } = options;
  const limits: ExtractionLimits = { ...usualLimits, ...given };
  const command = childCommand(limits);
  const queue = createFairQueue({ concurrency });
  const closing = new AbortController();
  const open = new Set<Promise<unknown>>();

  async function ask(
    task: Task,
    body: Uint8Array,
    { outputBytes, workspaceId }: { outputBytes: number; workspaceId: string },
    asked: AbortSignal,
  ): Promise<Answered> {
    const signal = AbortSignal.any([asked, closing.signal]);
    const work = queue.run(workspaceId, signal, () =>
      start({
        command,
        input: packMessage(task, body),
        timeMs: limits.timeMs,
        outputBytes,
        signal,
        onStart,
      }),
    );
    open.add(work);
    try {
      const end = await work;
      signal.throwIfAborted();
      const found = explainEnd(end, limits);
      if (found instanceof ExtractionError) throw found;
      return found;
    } finally {
      open.delete(work);
    }
  }

  return {
    async extract({ bytes, filename, contentType = null, url = null, workspaceId = '' }, signal) {
      const task: Task = { task: 'extract', length: bytes.length, filename, contentType, url, limits };
      const { answer, body } = await ask(
        task,
        bytes,
        { outputBytes: limits.textBytes + headBytes, workspaceId },
        signal,
      );
      if (answer.done !== 'extract') throw new Error(`A child answered ${answer.done}.`);
      const { title, pages } = answer;
      return { title, markdown: body.toString(), ...(pages !== null && { pages }) };
    },

    async split(markdown, { title, workspaceId }, signal) {
      const body = Buffer.from(markdown);
      const task: Task = { task: 'split', length: body.length, title, workspaceId, limits };
      const answered = await ask(
        task,
        body,
        { outputBytes: headBytes + limits.textBytes * chunkedGrowth, workspaceId },
        signal,
      );
      return readLines(answered.body);
    },

    async close() {
      closing.abort(new ExtractionError('The service is stopping.', { passing: true }));
      await Promise.allSettled(open);
    },
  };
}

/** Leaves a processor for the service itself. */
function defaultConcurrency(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1));
}

async function start(run: Parameters<typeof runChild>[0]): Promise<ChildEnd> {
  try {
    return await runChild(run);
  } catch (error) {
    throw new ExtractionError('It could not be read just now: no process could be started for it.', {
      passing: true,
      cause: error,
    });
  }
}

/** In batches, because parsing all chunks of a long text at once would block everything else. */
async function readLines(body: Buffer): Promise<IndexedChunk[]> {
  const chunks: IndexedChunk[] = [];
  for (let from = 0; from < body.length; ) {
    const end = body.indexOf('\n', from);
    chunks.push(JSON.parse(body.toString('utf8', from, end)) as IndexedChunk);
    from = end + 1;
    if (chunks.length % batchSize === 0) await setImmediate();
  }
  return chunks;
}
