import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { patienceMs } from './patience.ts';

export interface SseEvent {
  /** Only events of the log have one. */
  id?: number;
  event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into events freely
  data: any;
}

export interface SseRequest {
  method?: 'GET' | 'POST';
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface SseReader {
  status: number;
  headers: IncomingMessage['headers'];
  /** Everything that arrived so far. */
  events: SseEvent[];
  /** Comment lines so far: the heartbeat. */
  comments: number;
  /** How soon the service wants this reader back after a disconnection. */
  retryMs?: number;
  /** The answer that came instead of a stream. */
  // oxlint-disable-next-line typescript/no-explicit-any
  error: any;
  /** The first matching event, past or future. Fails if the stream ends without one, or on a timeout. */
  until(fits: string | ((event: SseEvent) => boolean), withinMs?: number): Promise<SseEvent>;
  /** All events, once the stream has ended: `complete`, or cut off. */
  ended(withinMs?: number): Promise<{ events: SseEvent[]; complete: boolean }>;
  /** Stops reading from the socket, so that the server's buffer fills. */
  pause(): void;
  resume(): void;
  /** Disconnects, as a browser does when its page is closed. */
  close(): void;
}

/** Opens a stream on a connection of its own and reads it as it arrives. */
export async function openSse(url: string, options: SseRequest = {}): Promise<SseReader> {
  const outgoing = start(url, options);
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  outgoing.on('error', () => undefined);
  const isStream = incoming.headers['content-type']?.startsWith('text/event-stream') ?? false;
  return isStream ? readStream(incoming, outgoing) : readError(incoming, outgoing);
}

function start(url: string, { method = 'GET', key, body, headers }: SseRequest): ClientRequest {
  const outgoing = request(url, {
    method,
    agent: false,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  return outgoing;
}

async function readError(incoming: IncomingMessage, outgoing: ClientRequest): Promise<SseReader> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const none = async (): Promise<never> => {
    throw new Error(`no stream: ${incoming.statusCode} ${Buffer.concat(pieces).toString()}`);
  };
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    events: [],
    comments: 0,
    error: JSON.parse(Buffer.concat(pieces).toString() || 'null'),
    until: none,
    ended: none,
    pause: () => undefined,
    resume: () => undefined,
    close: () => void outgoing.destroy(),
  };
}

function readStream(incoming: IncomingMessage, outgoing: ClientRequest): SseReader {
  let pending: string[] = [];
  let over: { complete: boolean } | undefined;
  const looking = new Set<() => void>();
  const look = () => {
    for (const one of looking) one();
  };
  const reader: SseReader = {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    events: [],
    comments: 0,
    error: undefined,
    until(fits, withinMs) {
      const matches = typeof fits === 'string' ? (event: SseEvent) => event.event === fits : fits;
      const wanted = String(fits);
      return wait(wanted, withinMs, () => {
        const found = reader.events.find(matches);
        if (!found && over) throw new Error(`the stream ended without ${wanted}: ${names(reader.events)}`);
        return found;
      });
    },
    ended: (withinMs) => wait('the end', withinMs, () => over && { ...over, events: reader.events }),
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    close: () => void outgoing.destroy(),
  };

  incoming.setEncoding('utf8');
  incoming.on('data', (piece: string) => {
    const last = pending.at(-1) ?? '';
    pending.push(piece);
    // A large event arrives in many pieces, which are joined only once it is complete.
    if (!(last.slice(-1) + piece).includes('\n\n')) return;
    const blocks = pending.join('').split('\n\n');
    pending = [blocks.pop() ?? ''];
    for (const block of blocks) readBlock(block, reader);
    look();
  });
  incoming.on('error', () => undefined);
  incoming.once('close', () => {
    over = { complete: incoming.complete };
    look();
  });
  return reader;

  function wait<Found>(
    what: string,
    withinMs: number | undefined,
    find: () => Found | undefined,
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        looking.delete(attempt);
        settle();
      };
      const attempt = () => {
        try {
          const found = find();
          if (found !== undefined) finish(() => resolve(found));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const timer = setTimeout(
        () =>
          finish(() => reject(new Error(`waited in vain for ${what}, only had: ${names(reader.events)}`))),
        withinMs ?? patienceMs,
      );
      looking.add(attempt);
      attempt();
    });
  }
}

/** One block between empty lines. An unknown field is an error of the server. */
function readBlock(block: string, reader: SseReader): void {
  const read: Partial<SseEvent> = {};
  for (const line of block.split('\n')) {
    if (line === ':') reader.comments += 1;
    else if (/^retry: \d+$/.test(line)) reader.retryMs = Number(line.slice(7));
    else if (line.startsWith('id: ')) read.id = Number(line.slice(4));
    else if (line.startsWith('event: ')) read.event = line.slice(7);
    else if (line.startsWith('data: ')) read.data = JSON.parse(line.slice(6));
    else throw new Error(`not a line of ours: ${line}`);
  }
  if (read.event !== undefined) reader.events.push(read as SseEvent);
}

function names(events: readonly SseEvent[]): string {
  return events.map(({ id, event }) => (id === undefined ? event : `${id} ${event}`)).join(', ') || 'nothing';
}
