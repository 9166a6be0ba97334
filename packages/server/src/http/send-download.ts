import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ConcurrencyLimits } from './concurrency-limits.ts';
import { inChunks, whileRead } from './send-list.ts';
import type { WatchKey } from './watch-key.ts';

export interface Download {
  /** What is in it: texts, or bytes in pieces of at most a few hundred kilobytes. */
  content: { texts: AsyncGenerator<string> } | { chunks: AsyncGenerator<Buffer> };
  type: string;
  filename: string;
  /** What it counts as while it is read; a long list if left out. */
  countsAs?: 'lists' | 'streams';
}

/**
 * Answers with a file that is written as the client reads it, however long it is. The connection is closed if the caller loses
 * access meanwhile, so that no client mistakes a part for the whole.
 */
export type SendDownload = (reply: FastifyReply, download: Download) => FastifyReply;

export interface SendDownloadOptions {
  concurrencyLimits: Pick<ConcurrencyLimits, 'whileOpen'>;
  watchKey: WatchKey;
  /** How long a client may read nothing before it is disconnected. */
  maxStallMs?: number;
}

export function createSendDownload(options: SendDownloadOptions): SendDownload {
  const { concurrencyLimits, watchKey, maxStallMs = 30_000 } = options;
  return (reply, { content, type, filename, countsAs = 'lists' }) => {
    void reply.type(type).header('content-disposition', dispositionOf(filename));
    if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
    concurrencyLimits.whileOpen(countsAs, reply.request, reply);
    const { raw } = reply;
    const unwatch = watchKey(reply.request, () => void raw.destroy());
    // A response that is already closed emits no further close.
    if (raw.closed) unwatch();
    else raw.once('close', unwatch);
    // The client decides how long this takes, so it no longer counts as work in progress.
    reply.request.leaveQueue();
    const chunks = 'texts' in content ? inChunks(content.texts) : content.chunks;
    return reply.send(Readable.from(whileRead(chunks, reply, maxStallMs), { objectMode: false }));
  };
}

/** With a second name for clients that know no other characters than those of ASCII. */
function dispositionOf(filename: string): string {
  const plain = filename.replaceAll(/[^\w .()+-]/g, '_');
  if (plain === filename) return `attachment; filename="${filename}"`;
  // What encodeURIComponent leaves and the header does not allow.
  const encoded = encodeURIComponent(filename).replaceAll(/['()*]/g, escape);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
