import { connect, type Socket } from 'node:net';

/** One event as received; only those of the log have an id. */
export interface ReadEvent {
  id: number | undefined;
  event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into events freely
  data: any;
}

export interface StreamReader {
  /** Every event that arrived whole, in order. */
  events: ReadEvent[];
  status(): number | undefined;
  /** The body as text, for answers that are not a stream. */
  body(): string;
  /** Resolves when the connection is closed, by either side. */
  closed: Promise<void>;
  isClosed(): boolean;
  destroy(): void;
}

export interface ReadOptions {
  key: string;
  /** `GET /path` or `POST /path`. */
  operation: string;
  body?: object;
  lastEventId?: number | undefined;
  headers?: Record<string, string>;
  /** The reader destroys the connection at exactly this byte, headers included. */
  cutAtByte?: number | undefined;
  onEvent?: (event: ReadEvent) => void;
}

/** Reads server-sent events from a bare socket, so that a cut can fall on any byte. */
export function readStream(origin: string, options: ReadOptions): StreamReader {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const closing = Promise.withResolvers<void>();
  const events: ReadEvent[] = [];
  const cutAt = options.cutAtByte ?? Number.POSITIVE_INFINITY;
  let received = 0;
  let unread = Buffer.alloc(0);
  let head: string | undefined;
  let whole = '';
  let isClosed = false;

  // Resets are expected: the caller checks `closed`.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    isClosed = true;
    closing.resolve();
  });
  socket.on('data', (chunk: Buffer) => {
    const taken = chunk.subarray(0, Math.max(0, cutAt - received));
    received += chunk.length;
    unread = Buffer.concat([unread, taken]);
    if (head === undefined) takeHead();
    if (head !== undefined) takeEvents();
    if (received >= cutAt) socket.destroy();
  });
  writeRequest(socket, hostname, options);

  function takeHead(): void {
    const end = unread.indexOf('\r\n\r\n');
    if (end < 0) return;
    head = unread.toString('latin1', 0, end);
    unread = unread.subarray(end + 4);
  }

  function takeEvents(): void {
    for (let end = unread.indexOf('\n\n'); end >= 0; end = unread.indexOf('\n\n')) {
      const event = parseEvent(unread.toString('utf8', 0, end));
      whole += unread.toString('utf8', 0, end + 2);
      unread = unread.subarray(end + 2);
      if (!event) continue;
      events.push(event);
      options.onEvent?.(event);
    }
  }

  return {
    events,
    status: () => (head === undefined ? undefined : Number(head.split(' ')[1])),
    body: () => whole + unread.toString('utf8'),
    closed: closing.promise,
    isClosed: () => isClosed,
    destroy: () => void socket.destroy(),
  };
}

/** HTTP/1.0, so that the body is not chunked. */
function writeRequest(socket: Socket, host: string, options: ReadOptions): void {
  const body = options.body === undefined ? '' : JSON.stringify(options.body);
  const lines = [
    `${options.operation} HTTP/1.0`,
    `Host: ${host}`,
    `Authorization: Bearer ${options.key}`,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
    ...(options.lastEventId === undefined ? [] : [`Last-Event-ID: ${options.lastEventId}`]),
    ...Object.entries(options.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function parseEvent(text: string): ReadEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const event = fields.get('event');
  if (event === undefined) return undefined;
  const id = fields.get('id');
  return {
    id: id === undefined ? undefined : Number(id),
    event,
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}
