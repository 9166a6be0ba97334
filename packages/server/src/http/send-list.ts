import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ListPages } from '../database/list-page.ts';
import type { Places } from './places.ts';

/** Answers with a list that comes in pages. */
export type SendList = <Item>(reply: FastifyReply, pages: ListPages<Item>) => Promise<Item[]>;

export interface SendListOptions {
  places: Pick<Places, 'whileOpen'>;
  /** How long a reader may take nothing before it is cut off. */
  patienceMs?: number;
}

const listType = 'application/json; charset=utf-8';

/** What is handed over at once: little enough to wait for, and enough for many small rows. */
const pieceBytes = 64 * 1024;

/**
 * A list that fits on a page is answered like anything else; a longer one is written row by row as the client reads it, so
 * that its length takes no memory, and has one of its workspace's places for that. What fails before the first byte is a
 * normal error; what fails later cuts the connection, so that nobody takes a part for the whole.
 */
export function createSendList({ places, patienceMs = 30_000 }: SendListOptions): SendList {
  return async <Item>(reply: FastifyReply, pages: ListPages<Item>): Promise<Item[]> => {
    const first = await pages.next();
    if (first.done) return first.value;
    if (reply.request.method === 'HEAD') {
      // Nobody reads it: the head says all there is to say.
      await pages.return([]);
      void reply.type(listType).send(Readable.from([]));
      return reply as unknown as Item[];
    }
    const write = reply.getSerializationFunction('200');
    if (!write) throw new Error('A list needs a response schema: it says what may be shown.');
    places.whileOpen('lists', reply.request, reply);
    // How fast it is read is up to the client.
    reply.request.leaveTurn();
    const textOf = (item: Item) => write([item] as unknown as Record<string, unknown>).slice(1, -1);
    const pieces = inPieces(textsOf(first.value, pages, textOf));
    const body = Readable.from(whileRead(pieces, reply, patienceMs), { objectMode: false });
    void reply.type(listType).send(body);
    return reply as unknown as Item[];
  };
}

/** The list in JSON. Of each page only the rows that are still to be written are held. */
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

/** Small texts together, large ones apart. */
async function* inPieces(texts: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  let gathered = '';
  for await (const text of texts) {
    gathered += text;
    if (gathered.length < pieceBytes) continue;
    const bytes = Buffer.from(gathered);
    gathered = '';
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      yield bytes.subarray(start, start + pieceBytes);
    }
  }
  yield Buffer.from(gathered);
}

/** Cuts off a reader that takes nothing for too long. Time in which it is the reader that waits does not count. */
async function* whileRead(
  pieces: AsyncGenerator<Buffer>,
  { raw }: FastifyReply,
  patienceMs: number,
): AsyncGenerator<Buffer> {
  const cutOff = () => void raw.destroy();
  for await (const piece of pieces) {
    const timer = setTimeout(cutOff, patienceMs);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
  // The last pieces are on their way.
  const timer = setTimeout(cutOff, patienceMs);
  if (raw.closed) clearTimeout(timer);
  else raw.once('close', () => clearTimeout(timer));
}
