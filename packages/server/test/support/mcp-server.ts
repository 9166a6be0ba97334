import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  id?: number;
  method: string;
  params?: { cursor?: string; name?: string; arguments?: Record<string, unknown>; _meta?: object };
}

/** What a client answered to a question. */
interface ClientAnswer {
  id: string;
  result?: { action: string };
}

export interface FakeTool {
  name: string;
  description?: string;
  inputSchema?: object;
  annotations?: unknown;
  execution?: { taskSupport: 'required' };
}

export type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => unknown;

export interface FakeMcpServer {
  url: string;
  /** The methods of its requests, in order, such as `tools/call`. */
  asked: string[];
  /** What its own requests were answered with, by their ids. */
  answers: Map<string, ClientAnswer>;
  /** The Authorization headers it was sent. */
  authorizations: Set<string | undefined>;
  tools: FakeTool[];
  /** How many tools one page lists. */
  pageSize: number;
  /** Answers `tools/call`; returns a result, or writes the response itself and returns undefined. */
  onCall: Answer;
  /** Replaces everything else; returns true if it answered. */
  intercept: (message: Message, response: ServerResponse, request: IncomingMessage) => boolean;
  forgetSessions(): void;
  /** The open streams of its sessions. */
  listeners: Set<ServerResponse>;
  /** Notifies all listening clients. */
  announce(method: string): void;
  stop(): Promise<void>;
}

/** A small MCP server that can be made to misbehave. */
export async function startFakeMcpServer(): Promise<FakeMcpServer> {
  const sessions = new Set<string>();
  const listeners = new Set<ServerResponse>();
  const http = createServer((request, response) => void handle(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  const fake: FakeMcpServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    asked: [],
    answers: new Map(),
    authorizations: new Set(),
    tools: [{ name: 'echo' }],
    pageSize: 100,
    onCall: ({ params }) => ({ content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] }),
    intercept: () => false,
    listeners,
    forgetSessions: () => sessions.clear(),
    announce(method) {
      for (const listener of listeners) sendEvent(listener, { jsonrpc: '2.0', method });
    },
    async stop() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    fake.authorizations.add(request.headers.authorization);
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (request.method === 'DELETE')
      return void response.writeHead(sessions.delete(session) ? 200 : 404).end();
    if (request.method === 'GET') return listen(session, response);
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const received = JSON.parse(text) as Message | ClientAnswer;
    if (!('method' in received)) {
      fake.answers.set(received.id, received);
      return void response.writeHead(202).end();
    }
    const message = received;
    fake.asked.push(message.method);
    if (fake.intercept(message, response, request)) return;
    if (message.method !== 'initialize' && !sessions.has(session)) return void response.writeHead(404).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = await resultOf(message, response, request);
    if (result !== undefined) response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  function listen(session: string, response: ServerResponse): void {
    if (!sessions.has(session)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    listeners.add(response);
    response.on('close', () => listeners.delete(response));
  }

  async function resultOf(
    message: Message,
    response: ServerResponse,
    request: IncomingMessage,
  ): Promise<unknown> {
    if (message.method === 'tools/call') {
      response.setHeader('content-type', 'application/json');
      return fake.onCall(message, response, request);
    }
    response.setHeader('content-type', 'application/json');
    if (message.method === 'initialize') {
      const session = randomUUID();
      sessions.add(session);
      response.setHeader('mcp-session-id', session);
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'fake', version: '1' },
      };
    }
    const from = Number(message.params?.cursor ?? 0);
    const end = from + fake.pageSize;
    return {
      tools: fake.tools.slice(from, end).map((tool) => ({ inputSchema: { type: 'object' }, ...tool })),
      ...(end < fake.tools.length && { nextCursor: String(end) }),
    };
  }

  return fake;
}

/** Writes one event of a stream. */
export function sendEvent(response: ServerResponse, message: object): void {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** Asks a person for a name. */
export function sendQuestion(response: ServerResponse, id: string): void {
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  const params = { message: `Who is ${id}?`, requestedSchema };
  sendEvent(response, { jsonrpc: '2.0', id, method: 'elicitation/create', params });
}
