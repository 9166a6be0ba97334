import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { anthropicWire } from './anthropic-wire.ts';
import { chatWire } from './chat-wire.ts';
import { type CompiledScript, compile } from './compile.ts';
import { answerEmbeddings, type EmbeddingsWireName, embeddingsWireOf } from './embeddings-wire.ts';
import { googleWire } from './google-wire.ts';
import { play } from './play.ts';
import { responsesWire } from './responses-wire.ts';
import type { Script } from './script.ts';
import type { ProviderName, Wire, WireName } from './wire.ts';

export interface ScriptedModel {
  /** The base URL to configure for a provider. */
  url(provider: ProviderName): string;
  /** Scripts for the next requests, one each, which take precedence over `respondWith`. */
  enqueue(...scripts: Script[]): void;
  /** Answers every request without a queued script. A script that is returned repeatedly is compiled once. */
  respondWith(answer: Script | ((request: ScriptedRequest) => Script)): void;
  /** Everything received, in order. */
  requests: ScriptedRequest[];
  /** Forgets scripts and requests, for the start of a test. */
  reset(): void;
  close(): Promise<void>;
}

export interface ScriptedRequest {
  wire: WireName | EmbeddingsWireName;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** The client's port; the same port means that the connection was reused. */
  clientPort: number | undefined;
  /** Resolves when the response is over, to true if the client closed the connection early. */
  closedEarly: Promise<boolean>;
}

export interface ScriptedModelOptions {
  port?: number;
  /** Off for load tests, where the list would only grow. */
  record?: boolean;
}

export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const queue: Script[] = [];
  const requests: ScriptedRequest[] = [];
  const compiled = new WeakMap<object, Map<WireName, CompiledScript>>();
  let answer: ((request: ScriptedRequest) => Script) | undefined;

  function compileOnce(script: Script, wire: Wire): CompiledScript {
    const ofScript = compiled.get(script) ?? new Map<WireName, CompiledScript>();
    compiled.set(script, ofScript);
    const found = ofScript.get(wire.name) ?? compile(script, wire);
    ofScript.set(wire.name, found);
    return found;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    const wire = wireOf(path);
    const embeddings = embeddingsWireOf(path);
    const name = wire?.name ?? embeddings;
    const body = await readBody(incoming);
    if (!name) return sendJson(response, 404, { error: { message: `no such path: ${path}` } });
    const closing = Promise.withResolvers<boolean>();
    const request = {
      wire: name,
      path,
      headers: incoming.headers,
      body,
      clientPort: incoming.socket.remotePort,
      closedEarly: closing.promise,
    };
    let cutByScript = false;
    response.once('close', () => closing.resolve(!response.writableFinished && !cutByScript));
    if (options.record !== false) requests.push(request);
    const script = queue.shift() ?? answer?.(request);
    if (embeddings) return answerEmbeddings(embeddings, body, script, response);
    if (!script || !wire)
      return sendJson(response, 500, { error: { message: 'the scripted model has no script left' } });
    const reply = compileOnce(script, wire);
    if (reply.status)
      return sendJson(response, reply.status.status, reply.status.body ?? {}, reply.status.headers);
    if (!isStreaming(path, body)) return sendJson(response, 200, wire.whole(reply.whole));
    cutByScript = await play(reply, response);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port');
  const origin = `http://127.0.0.1:${address.port}`;

  return {
    url: (provider) => `${origin}${provider === 'google' ? '/v1beta' : '/v1'}`,
    enqueue: (...scripts) => void queue.push(...scripts),
    respondWith(given) {
      answer = typeof given === 'function' ? given : () => given;
    },
    requests,
    reset() {
      queue.length = 0;
      requests.length = 0;
      answer = undefined;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function wireOf(path: string): Wire | undefined {
  if (path === '/v1/chat/completions') return chatWire;
  if (path === '/v1/responses') return responsesWire;
  if (path === '/v1/messages') return anthropicWire;
  return /^\/v1beta\/models\/[^/]+:(?:stream)?[gG]enerateContent/.test(path) ? googleWire : undefined;
}

function isStreaming(path: string, body: Record<string, unknown>): boolean {
  return body['stream'] === true || path.includes(':streamGenerateContent');
}

async function readBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  const value: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8') || '{}');
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
