import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Answers with a list that comes in pages. One that fits on a page is answered like anything else; a longer one is written
 * page by page as the client reads it, so that its length takes no memory. What fails before the first byte is a normal
 * error; what fails later cuts the connection, so that nobody takes a part for the whole.
 */
export async function sendList<Item>(
  reply: FastifyReply,
  pages: AsyncGenerator<Item[], void>,
): Promise<Item[]> {
  const first = await pages.next();
  if (first.done) return [];
  const second = await pages.next();
  if (second.done) return first.value;
  const write = reply.getSerializationFunction('200');
  if (!write) throw new Error('A list needs a response schema: it says what may be shown.');
  const text = (items: Item[]) => write(items as unknown as Record<string, unknown>).slice(1, -1);

  async function* pieces(start: Item[], next: Item[]): AsyncGenerator<string> {
    yield `[${text(start)}`;
    yield `,${text(next)}`;
    for await (const items of pages) yield `,${text(items)}`;
    yield ']';
  }
  void reply.type('application/json; charset=utf-8').send(Readable.from(pieces(first.value, second.value)));
  return reply as unknown as Item[];
}
