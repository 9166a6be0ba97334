import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { StreamEvent } from '../events/event.ts';

export interface EventStream {
  /** Events that come together leave together. A reader that is too slow is cut off. */
  send(events: readonly StreamEvent[]): void;
  /** Resolves when the reader has taken what was sent, or is gone: for who could send faster than anybody reads. */
  drained(): Promise<void>;
  /** Ends after what was sent; harmless when repeated. */
  end(): void;
  /** Called once, however the stream came to its end. */
  onClose(callback: () => void): void;
}

/** A turn's own stream ends with the turn; a channel stays open. */
export type StreamKind = 'turn' | 'channel';

export interface EventStreams {
  open(reply: FastifyReply, kind: StreamKind): EventStream;
  /** A comment line to every reader, so that connections stay open and those that never read are found. */
  beat(): void;
  /** The node is going: channels end at once, so that their readers go elsewhere. */
  endChannels(): void;
  endAll(): void;
  readonly count: number;
}

/** What a reader may leave unread before it is cut off: it comes back with the id of its last event. */
const mostUnreadBytes = 1024 * 1024;

export function createEventStreams(): EventStreams {
  const open = new Map<ServerResponse, StreamKind>();
  /** The readers of a conversation are told one after the other: what was just put into words is not done again. */
  let latest: { events: readonly StreamEvent[]; text: string } = { events: [], text: '' };

  function textOf(events: readonly StreamEvent[]): string {
    const isSame =
      events.length === latest.events.length &&
      events.every((event, index) => event === latest.events[index]);
    if (!isSame) latest = { events, text: events.map(toText).join('') };
    return latest.text;
  }

  function write(response: ServerResponse, text: string): void {
    if (response.destroyed || response.writableEnded) return;
    // What was unread before counts, not what comes now: an event larger than the limit must reach those who read.
    if (response.writableLength > mostUnreadBytes) response.destroy();
    else response.write(text);
  }

  return {
    open(reply, kind) {
      reply.hijack();
      const response = reply.raw;
      response.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      });
      open.set(response, kind);
      response.once('close', () => open.delete(response));
      // A reader sees that it is connected also when nothing happens; a first event takes the head along.
      setImmediate(() => response.flushHeaders());
      return {
        send(events) {
          write(response, textOf(events));
        },
        drained() {
          if (!response.writableNeedDrain) return Promise.resolve();
          return new Promise((resolve) => {
            const done = () => {
              response.off('drain', done).off('close', done);
              resolve();
            };
            response.on('drain', done).on('close', done);
          });
        },
        end() {
          if (!response.writableEnded) response.end();
        },
        onClose(callback) {
          response.once('close', callback);
        },
      };
    },
    beat() {
      for (const response of open.keys()) {
        if (response.writableNeedDrain) response.destroy();
        else write(response, ':\n\n');
      }
    },
    endChannels() {
      for (const [response, kind] of open) if (kind === 'channel') response.end();
    },
    endAll() {
      for (const response of open.keys()) response.end();
    },
    get count() {
      return open.size;
    },
  };
}

function toText({ sequence, type, data }: StreamEvent): string {
  const id = sequence === null ? '' : `id: ${sequence}\n`;
  return `${id}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
