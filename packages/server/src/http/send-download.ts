import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Places } from './places.ts';
import { inChunks, whileRead } from './send-list.ts';

export interface Download {
  texts: AsyncGenerator<string>;
  type: string;
  filename: string;
}

/** Answers with a file that is written as the client reads it, however long it is. */
export type SendDownload = (reply: FastifyReply, download: Download) => FastifyReply;

export interface SendDownloadOptions {
  places: Pick<Places, 'whileOpen'>;
  /** How long a client may read nothing before it is disconnected. */
  maxStallMs?: number;
}

export function createSendDownload({ places, maxStallMs = 30_000 }: SendDownloadOptions): SendDownload {
  return (reply, { texts, type, filename }) => {
    void reply.type(type).header('content-disposition', `attachment; filename="${filename}"`);
    if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
    places.whileOpen('lists', reply.request, reply);
    // The client decides how long this takes, so it no longer counts as work in progress.
    reply.request.leaveTurn();
    return reply.send(Readable.from(whileRead(inChunks(texts), reply, maxStallMs), { objectMode: false }));
  };
}
