import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ListPages } from '../database/list-page.ts';
import type { ConcurrencyLimits } from './concurrency-limits.ts';

/** Answers with a list that is read in pages. */
export type SendList = <Item>(reply: FastifyReply, pages: ListPages<Item>) => Promise<Item[]>;

export interface SendListOptions {
  concurrencyLimits: Pick<ConcurrencyLimits, 'whileOpen'>;
  /** How long a client may read nothing before it is disconnected. */
  maxStallMs?: number;
}

const listType = 'application/json; charset=utf-8';

/** The size of one write: small enough to wait for, large enough for many small rows. */
const chunkBytes = 64 * 1024;

/**
 * A list that fits on a page is an ordinary answer. A longer one is written row by row as the client reads it, so that it
 * needs little memory, and counts as one of the workspace's long lists. A failure before the first byte is an ordinary error; a later
 * one closes the connection, so that no client mistakes a part for the whole.
 */
export function createSendList({ concurrencyLimits, maxStallMs = 30_000 }: SendListOptions): SendList {
  return async <Item>(reply: FastifyReply, pages: ListPages<Item>): Promise<Item[]> => {
    const first = await pages.next();
    if (first.done) return first.value;
    if (reply.request.method === 'HEAD') {
      // The answer to HEAD has no body.
      await pages.return([]);
      void reply.type(listType).send(Readable.from([]));
      return reply as unknown as Item[];
    }
    const write = reply.getSerializationFunction('200');
    if (!write) throw new Error('A list needs a response schema: it decides which fields are sent.');
    concurrencyLimits.whileOpen('lists', reply.request, reply);
    // The client decides how long this takes, so it no longer counts as work in progress.
    reply.request.leaveQueue();
    const textOf = (item: Item) => write([item] as unknown as Record<string, unknown>).slice(1, -1);
    const chunks = inChunks(textsOf(first.value, pages, textOf));
    const body = Readable.from(whileRead(chunks, reply, maxStallMs), { objectMode: false });
    void reply.type(listType).send(body);
    return reply as unknown as Item[];
  };
}

/** The list as JSON. Rows that are already written are not held in memory. */
async function* textsOf<Item>(
  first: Item[],
  pages: ListPages<Item>,
  textOf: (item: Item) => string,
): AsyncGenerator<string> {
  let before = '[';
  let rows = first;
  try {
    for (let isLast: boolean | undefined = false; ; ) {
      for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
        yield before + textOf(row);
        before = ',';
      }
      if (isLast) break;
      ({ value: rows, done: isLast } = await pages.next());
    }
    yield ']';
  } finally {
    await pages.return([]);
  }
}

/** Joins small texts and splits large ones. */
export async function* inChunks(texts: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  let gathered = '';
  for await (const text of texts) {
    gathered += text;
    if (gathered.length < chunkBytes) continue;
    const bytes = Buffer.from(gathered);
    gathered = '';
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      yield bytes.subarray(start, start + chunkBytes);
    }
  }
  yield Buffer.from(gathered);
}

/** Disconnects a client that reads nothing for too long. Time in which the client waits for us does not count. */
export async function* whileRead(
  chunks: AsyncGenerator<Buffer>,
  { raw }: FastifyReply,
  maxStallMs: number,
): AsyncGenerator<Buffer> {
  const cutOff = () => void raw.destroy();
  for await (const chunk of chunks) {
    const timer = setTimeout(cutOff, maxStallMs);
    try {
      yield chunk;
    } finally {
      clearTimeout(timer);
    }
  }
  // The last chunks are still being sent.
  const timer = setTimeout(cutOff, maxStallMs);
  if (raw.closed) clearTimeout(timer);
  else raw.once('close', () => clearTimeout(timer));
}
