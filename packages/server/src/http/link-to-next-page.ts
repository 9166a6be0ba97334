import type { FastifyReply } from 'fastify';

/** Says where the list goes on: the same question with the next cursor in it. */
export function linkToNextPage(reply: FastifyReply, address: string, query: object): void {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  reply.header('link', `<${address}?${parameters.toString()}>; rel="next"`);
}
