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
  /** Sends these events in one write. A reader that is too slow is disconnected. */
  send(events: readonly Event[]): void;
  /** Resolves when the reader has consumed what was sent, or is gone: for senders faster than their readers. */
  drained(): Promise<void>;
  /** Ends the stream after these events. Further calls do nothing. */
  end(events?: readonly Event[]): void;
  /** Called once, however the stream ends. */
  onClose(callback: () => void): void;
}

/** A turn's own stream ends with the turn; a channel stays open. */
export type StreamKind = 'turn' | 'channel';

export type EventStreams = ReturnType<typeof createEventStreams>;

/** How much a reader may leave unread before it is disconnected. It can resume from the id of its last event. */
const maxUnreadBytes = 1024 * 1024;

/** How long browsers wait before they reconnect, at random: readers that were disconnected together return one by one. */
const reconnectMilliseconds = { min: 500, max: 1_500 };

interface OpenStream {
  kind: StreamKind;
  /** HTTP/1.0 has no chunks: the stream ends with the connection. */
  isChunked: boolean;
  isHeadSent: boolean;
  /** How many bytes the reader had taken at the last heartbeat, if more were waiting for it. */
  takenAtBeat?: number | undefined;
}

export function createEventStreams() {
  const open = new Map<ServerResponse, OpenStream>();
  const ending = new Set<StreamKind>();
  /** The readers of a conversation get the same events one after another, so the last frame is kept. */
  let latest: { events: readonly ServerSentEvent[]; frame: Frame } = { events: [], frame: toFrame('') };

  function frameOf(events: readonly ServerSentEvent[]): Frame {
    const isSame =
      events.length === latest.events.length &&
      events.every((event, index) => event === latest.events[index]);
    if (!isSame) latest = { events, frame: toFrame(events.map(toText).join('')) };
    return latest.frame;
  }

  function write(response: ServerResponse, frame: Frame): void {
    const stream = open.get(response);
    if (!stream || response.destroyed || response.writableEnded) return;
    // Only what was unread before counts: an event larger than the limit must still reach a reader that keeps up.
    if (response.writableLength > maxUnreadBytes) return void response.destroy();
    // After the head, frames go straight to the socket: Node's own path costs as much as the system call.
    const way: Writable = stream.isHeadSent ? (response.socket ?? response) : response;
    const { text, chunk, encoding } = stream.isHeadSent ? frame : firstFrame(stream, frame);
    stream.isHeadSent = true;
    way.write(stream.isChunked ? chunk : text, encoding);
  }

  function begin(response: ServerResponse, reply: FastifyReply, kind: StreamKind): void {
    writeHead(response, reply);
    const stream: OpenStream = { kind, isChunked: response.chunkedEncoding, isHeadSent: false };
    open.set(response, stream);
    // Chunks are framed here: Node would split each into four writes.
    response.chunkedEncoding = false;
    response.once('close', () => open.delete(response));
    // The head is flushed even if nothing happens; a first event would otherwise carry it.
    setImmediate(() => {
      if (stream.isHeadSent) return;
      if (kind === 'channel') return write(response, nothing);
      stream.isHeadSent = true;
      response.flushHeaders();
    });
    if (ending.has(kind)) disconnect(response);
  }

  /** Sends the last events and the end of the stream in one write. */
  function end(response: ServerResponse, last = nothing): void {
    const stream = open.get(response);
    if (!stream || response.writableEnded) return;
    const { text, chunk, encoding } = stream.isHeadSent ? last : firstFrame(stream, last);
    stream.isHeadSent = true;
    response.end(stream.isChunked ? chunk + lastChunk : text, encoding);
  }

  /** Ends a stream and its connection, because a reader that kept it would return to this node. */
  function disconnect(response: ServerResponse): void {
    const { socket } = response;
    response.once('finish', () => socket?.destroySoon());
    end(response);
  }

  return {
    open<Event extends ServerSentEvent>(reply: FastifyReply, kind: StreamKind): EventStream<Event> {
      reply.hijack();
      reply.request.leaveQueue();
      const response = reply.raw;
      // A reader that left before its stream began emits no further close, so nothing may be kept for it.
      const isGone = response.closed || response.destroyed;
      if (!isGone) begin(response, reply, kind);
      return {
        send(events) {
          write(response, frameOf(events));
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
          end(response, events.length > 0 ? frameOf(events) : undefined);
        },
        onClose(callback) {
          if (isGone) callback();
          else response.once('close', callback);
        },
      };
    },
    /** Answers a HEAD request with the headers of a stream. */
    head(reply: FastifyReply): void {
      reply.hijack();
      writeHead(reply.raw, reply);
      reply.raw.end();
    },
    /** Sends a comment line to every reader, which keeps connections open, and disconnects readers that took nothing since the last one. */
    beat(): void {
      for (const [response, stream] of open) {
        const { socket } = response;
        const taken = socket?.writableNeedDrain ? socket.bytesWritten - socket.writableLength : undefined;
        if (taken !== undefined && taken === stream.takenAtBeat) response.destroy();
        else if (taken === undefined) write(response, heartbeat);
        stream.takenAtBeat = taken;
      }
    },
    /** Ends all streams of this kind, and from now on each new one as soon as it opens: their readers reconnect elsewhere. */
    endAll(kind: StreamKind): void {
      ending.add(kind);
      for (const [response, stream] of open) if (stream.kind === kind) disconnect(response);
    },
    get count(): number {
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
const heartbeat = toFrame(':\n\n');
const nothing: Frame = { text: '', chunk: '', encoding: 'latin1' };

/** Events as they are written, plain and as an HTTP chunk. */
interface Frame {
  text: string;
  chunk: string;
  encoding: BufferEncoding;
}

/** A channel begins with how soon to reconnect once it ends. */
function firstFrame({ kind }: OpenStream, frame: Frame): Frame {
  if (kind !== 'channel') return frame;
  const { min, max } = reconnectMilliseconds;
  return toFrame(`retry: ${Math.round(min + Math.random() * (max - min))}\n\n${frame.text}`);
}

function toFrame(text: string): Frame {
  const bytes = Buffer.byteLength(text);
  // Pure ASCII can be written as latin1, which skips the encoding step.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  return { text, chunk: `${bytes.toString(16)}\r\n${text}\r\n`, encoding };
}

function toText({ sequence, type, data }: ServerSentEvent): string {
  const id = sequence === null ? '' : `id: ${sequence}\n`;
  return `${id}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
