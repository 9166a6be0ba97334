import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** OTLP's numbers: 1 is internal, 3 is client. */
  kind: number;
  /** 2 is an error. */
  status: { code?: number; message?: string };
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[];
  /** Sets the response to later requests. */
  answerWith(status: number, body: string): void;
  close(): Promise<void>;
}

interface Value {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number | string;
  doubleValue?: number;
  arrayValue?: { values: Value[] };
}
type Pairs = { key: string; value: Value }[];
type WireSpan = Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Pairs };

/** An OTLP/HTTP collector that keeps what it receives. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: Collector['requests'] = [];
  let answer = { status: 200, body: '{}' };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => void pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      if (answer.status === 200) spans.push(...readSpans(body));
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the collector has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    requests,
    answerWith(status, body) {
      answer = { status, body };
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function readSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { resource: { attributes: Pairs }; scopeSpans: { spans: WireSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        attributes: toObject(span.attributes),
        resource: toObject(resource.attributes),
      })),
    ),
  );
}

function toObject(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Value): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
