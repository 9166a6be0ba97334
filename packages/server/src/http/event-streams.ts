import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** What can be written to a stream; only events with a sequence number get an id. */
export interface ServerSentEvent {
  sequence: number | null;
  type: string;
  data: object;
}

/** A stream for these events. */
export interface EventStream<Event extends ServerSentEvent> {
  /** Events that come together leave together. A reader that is too slow is cut off. */
  send(events: readonly Event[]): void;
  /** Resolves when the reader has taken what was sent, or is gone: for senders that are faster than their readers. */
  drained(): Promise<void>;
  /** Ends after what was sent, and these; harmless when repeated. */
  end(events?: readonly Event[]): void;
  /** Called once, however the stream came to its end. */
  onClose(callback: () => void): void;
}

/** A turn's own stream ends with the turn; a channel stays open. */
export type StreamKind = 'turn' | 'channel';

export interface EventStreams {
  open<Event extends ServerSentEvent>(reply: FastifyReply, kind: StreamKind): EventStream<Event>;
  /** Answers a HEAD request: what a stream begins with, and nothing of it. */
  head(reply: FastifyReply): void;
  /** A comment line to every reader, so that connections stay open and those that never read are found. */
  beat(): void;
  /** The node is going: channels end at once, so that their readers go elsewhere. */
  endChannels(): void;
  endAll(): void;
  readonly count: number;
}

/** What a reader may leave unread before it is cut off: it comes back with the id of its last event. */
const mostUnreadBytes = 1024 * 1024;

interface OpenStream {
  kind: StreamKind;
  /** HTTP/1.0 knows no chunks: there the end of the connection is the end of the stream. */
  isChunked: boolean;
  isHeadSent: boolean;
}

export function createEventStreams(): EventStreams {
  const open = new Map<ServerResponse, OpenStream>();
  /** The readers of a conversation are told one after the other: what was just put into words is not done again. */
  let latest: { events: readonly ServerSentEvent[]; words: Words } = { events: [], words: inWords('') };

  function wordsOf(events: readonly ServerSentEvent[]): Words {
    const isSame =
      events.length === latest.events.length &&
      events.every((event, index) => event === latest.events[index]);
    if (!isSame) latest = { events, words: inWords(events.map(toText).join('')) };
    return latest.words;
  }

  function write(response: ServerResponse, { text, chunk, encoding }: Words): void {
    const stream = open.get(response);
    if (!stream || response.destroyed || response.writableEnded) return;
    // What was unread before counts, not what comes now: an event larger than the limit must reach those who read.
    if (response.writableLength > mostUnreadBytes) return void response.destroy();
    // Behind the head Node has nothing to add, and takes as long for it as the kernel does for the write itself.
    const way: Writable = stream.isHeadSent ? (response.socket ?? response) : response;
    stream.isHeadSent = true;
    way.write(stream.isChunked ? chunk : text, encoding);
  }

  function begin(response: ServerResponse, reply: FastifyReply, kind: StreamKind): void {
    writeHead(response, reply);
    const stream: OpenStream = { kind, isChunked: response.chunkedEncoding, isHeadSent: false };
    open.set(response, stream);
    // Said in the head, done here: Node would make four pieces of every chunk.
    response.chunkedEncoding = false;
    response.once('close', () => open.delete(response));
    // A reader sees that it is connected even if nothing happens; a first event takes the head along.
    setImmediate(() => {
      if (stream.isHeadSent) return;
      stream.isHeadSent = true;
      response.flushHeaders();
    });
  }

  /** What comes last and the end of the stream leave together, too. */
  function end(response: ServerResponse, last?: Words): void {
    const stream = open.get(response);
    if (!stream || response.writableEnded) return;
    stream.isHeadSent = true;
    const { text, chunk, encoding } = last ?? nothing;
    response.end(stream.isChunked ? chunk + lastChunk : text, encoding);
  }

  return {
    open(reply, kind) {
      reply.hijack();
      reply.request.leaveTurn();
      const response = reply.raw;
      // A reader that left before its stream began never closes again: nothing may be kept for it.
      const isGone = response.closed || response.destroyed;
      if (!isGone) begin(response, reply, kind);
      return {
        send(events) {
          write(response, wordsOf(events));
        },
        drained() {
          const { socket } = response;
          if (!socket?.writableNeedDrain) return Promise.resolve();
          return new Promise((resolve) => {
            const done = () => {
              socket.off('drain', done).off('close', done);
              resolve();
            };
            socket.on('drain', done).on('close', done);
          });
        },
        end(events = []) {
          end(response, events.length > 0 ? wordsOf(events) : undefined);
        },
        onClose(callback) {
          if (isGone) callback();
          else response.once('close', callback);
        },
      };
    },
    head(reply) {
      reply.hijack();
      writeHead(reply.raw, reply);
      reply.raw.end();
    },
    beat() {
      for (const response of open.keys()) {
        if (response.socket?.writableNeedDrain) response.destroy();
        else write(response, heartbeat);
      }
    },
    endChannels() {
      for (const [response, { kind }] of open) if (kind === 'channel') end(response);
    },
    endAll() {
      for (const response of open.keys()) end(response);
    },
    get count() {
      return open.size;
    },
  };
}

function writeHead(response: ServerResponse, reply: FastifyReply): void {
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
}

const lastChunk = '0\r\n\r\n';
const heartbeat = inWords(':\n\n');
const nothing: Words = { text: '', chunk: '', encoding: 'latin1' };

/** Events as they are sent, plain and as a chunk. */
interface Words {
  text: string;
  chunk: string;
  encoding: BufferEncoding;
}

function inWords(text: string): Words {
  const bytes = Buffer.byteLength(text);
  // As many bytes as characters: then one is as good as the other, and needs no looking at each of them.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  return { text, chunk: `${bytes.toString(16)}\r\n${text}\r\n`, encoding };
}

function toText({ sequence, type, data }: ServerSentEvent): string {
  const id = sequence === null ? '' : `id: ${sequence}\n`;
  return `${id}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
