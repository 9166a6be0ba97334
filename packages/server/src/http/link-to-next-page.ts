import type { FastifyReply } from 'fastify';

/** Links to the next page: the same query with the next cursor. */
export function linkToNextPage(reply: FastifyReply, address: string, query: object): void {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  reply.header('link', `<${address}?${parameters.toString()}>; rel="next"`);
}
