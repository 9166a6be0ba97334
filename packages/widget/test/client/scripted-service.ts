import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndUserLiveEvent } from '@svc/contract/end-user-events';
import type { VisitorMessage } from '@svc/contract/end-users';
import {
  createScriptedConversation,
  newMessage,
  type ScriptedConversation,
  type StoredEvent,
} from './scripted-conversation.ts';

interface Answer {
  status: number;
  code?: string;
  details?: object[];
  headers?: Record<string, string>;
}

interface AcceptedMessage {
  conversation: ScriptedConversation;
  eventId: number;
}

interface ScriptedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into requests freely
  body: any;
}

export type ScriptedService = Awaited<ReturnType<typeof startScriptedService>>;

/** A service that speaks the widget's wire, and in which a test decides what happens. */
export async function startScriptedService() {
  const conversations = new Map<string, ScriptedConversation>();
  const requests: ScriptedRequest[] = [];
  const streams = new Map<ServerResponse, { conversation: ScriptedConversation; turnId?: string }>();
  const accepted = new Map<string, AcceptedMessage>();
  const tokens = new Map<string, string>();
  const refusals: { path: string; answer: Answer | 'cut' | 'hang'; times: number }[] = [];
  let names = 0;
  const control = {
    /** Called for every accepted message; plays the bot. */
    onMessage: undefined as ((conversation: ScriptedConversation, text: string) => void) | undefined,
    /** Called before a request is handled. Returns true if it cut the connection. */
    onRequest: undefined as ((response: ServerResponse) => boolean) | undefined,
    /** Values of `user_hash` that have expired. */
    expired: new Set<string>(),
  };
  const newName = (kind: string) => `${kind}-${String((names += 1)).padStart(6, '0')}`;

  function newConversation(visitor: string): ScriptedConversation {
    const conversation = createScriptedConversation({ visitor, newName, send });
    conversations.set(conversation.id, conversation);
    return conversation;
  }

  function send(conversation: ScriptedConversation, event: StoredEvent | EndUserLiveEvent): void {
    for (const [response, reader] of streams) {
      if (reader.conversation !== conversation) continue;
      response.write(frame(event));
      const isEnd = ['turn.completed', 'turn.failed', 'turn.interrupted', 'turn.paused'].includes(event.type);
      if (reader.turnId && isEnd) response.end();
    }
  }

  function open(
    response: ServerResponse,
    conversation: ScriptedConversation,
    after: number,
    turnId?: string,
  ) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('retry: 800\n\n');
    for (const event of conversation.events) if (event.id > after) response.write(frame(event));
    const { preview } = conversation;
    if (preview) response.write(frame({ type: 'stream.snapshot', data: preview }));
    streams.set(response, { conversation, ...(turnId && { turnId }) });
    response.on('close', () => streams.delete(response));
  }

  function accept(visitor: string, body: VisitorMessage, key: string): Answer | AcceptedMessage {
    const known = accepted.get(key);
    if (known) return known;
    const own = [...conversations.values()].filter((conversation) => conversation.visitor === visitor);
    const wanted = body.conversation_id
      ? own.find(({ id }) => id === body.conversation_id)
      : body.new_conversation
        ? newConversation(visitor)
        : (own.at(-1) ?? newConversation(visitor));
    if (!wanted) return { status: 404, code: 'NOT_FOUND' };
    if (wanted.status !== 'idle') {
      return { status: 409, code: 'TURN_IN_PROGRESS', details: [{ conversation_id: wanted.id }] };
    }
    if (wanted.messages.length === 0) wanted.say('assistant', 'Welcome!');
    const place = wanted.messages.findIndex(({ id }) => id === body.replaces);
    if (body.replaces && place < 0) return { status: 404, code: 'NOT_FOUND' };
    const turnId = newName('turn');
    if (body.replaces) wanted.branch(place, turnId);
    const message = newMessage(newName('message'), 'user', body.message);
    wanted.messages.push(message);
    wanted.turnId = turnId;
    wanted.status = 'running';
    const data = {
      turn_id: wanted.turnId,
      conversation_id: wanted.id,
      bot_id: wanted.bot_id,
      user_message: message,
    };
    wanted.emit({ type: 'turn.started', data });
    const result = { conversation: wanted, eventId: wanted.last_event_id };
    accepted.set(key, result);
    if (wanted.needs_human) {
      wanted.status = 'idle';
      const completed = { turn_id: wanted.turnId, message_id: null, handed_off: true };
      wanted.emit({ type: 'turn.completed', data: completed });
    } else setImmediate(() => control.onMessage?.(wanted, body.message));
    return result;
  }

  function handle(request: ScriptedRequest, response: ServerResponse): void {
    const refuse = ({ status, code = 'INTERNAL', details, headers }: Answer) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ success: false, code, message: `${code}.`, details, request_id: 'r' }));
    };
    const answer = (body: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (control.onRequest?.(response)) return;
    const scripted = refusals.find(({ path, times }) => times > 0 && request.path.startsWith(path));
    if (scripted) {
      scripted.times -= 1;
      if (scripted.answer === 'hang') return;
      return scripted.answer === 'cut' ? void response.destroy() : refuse(scripted.answer);
    }
    if (request.path === '/widget.js') return answer({});
    if (request.path === 'token') {
      const { renewal_token: renewal, user_id: user, user_hash: hash } = request.body;
      if (control.expired.has(hash)) {
        const details = [{ path: 'user_hash', expired_at: '2026-11-15T10:30:00.000Z' }];
        return refuse({ status: 403, code: 'FORBIDDEN', details });
      }
      const visitor: string | undefined = user ?? (renewal ? tokens.get(renewal) : newName('visitor'));
      if (!visitor) return refuse({ status: 401, code: 'UNAUTHORIZED' });
      const token = newName('token');
      const renewed = newName('renewal');
      tokens.set(token, visitor).set(renewed, visitor);
      return answer({ token, renewal_token: renewed, expires_at: '', visitor_id: visitor }, 201);
    }
    const visitor = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (!visitor) return refuse({ status: 401, code: 'UNAUTHORIZED' });
    const own = [...conversations.values()].filter((conversation) => conversation.visitor === visitor);
    const find = (id: unknown) => own.find((conversation) => conversation.id === id);
    if (request.path === 'conversations') return answer(own.toReversed().map(toDetail));
    if (request.path === 'visitor') return answer({ message: 'Saved.' });
    if (request.path === 'messages') {
      const key = `${visitor} ${String(request.headers['idempotency-key'])}`;
      const result = accept(visitor, request.body, key);
      if ('status' in result) return refuse(result);
      const { conversation, eventId } = result;
      return open(response, conversation, eventId - 1, conversation.turnId);
    }
    const [, id] = /^conversations\/(.+)/.exec(request.path) ?? [];
    const conversation = find(id ?? request.query.get('conversation_id') ?? request.body.conversation_id);
    if (!conversation) return refuse({ status: 404, code: 'NOT_FOUND' });
    if (request.path === 'typing') return void response.writeHead(204).end();
    if (request.path === 'stop') {
      const isStopped = conversation.status !== 'idle';
      if (isStopped) conversation.interrupt();
      return answer({ stopped: isStopped });
    }
    if (request.path === 'stream') return open(response, conversation, Number(request.query.get('after')));
    return answer(toDetail(conversation));
  }

  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://service');
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: url.pathname.replace('/api/widget/', ''),
        query: url.searchParams,
        headers: incoming.headers,
        body: text ? JSON.parse(text) : {},
      };
      requests.push(request);
      handle(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    conversations,
    control,
    tokens,
    /** Open streams, those of sent messages included. */
    streamCount: () => streams.size,
    /** The next requests to this path are answered so. */
    refuse(path: string, answer: Answer | 'cut' | 'hang', times = 1): void {
      refusals.push({ path, answer, times });
    },
    /** The service answers as usual again. */
    recover(): void {
      refusals.length = 0;
    },
    /** Closes every open connection. */
    cut: () => server.closeAllConnections(),
    newConversation,
    only(): ScriptedConversation {
      const [first] = conversations.values();
      if (!first) throw new Error('There is no conversation.');
      return first;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function frame(event: StoredEvent | EndUserLiveEvent): string {
  const id = 'id' in event ? `id: ${event.id}\n` : '';
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

function toDetail(conversation: ScriptedConversation): object {
  const { id, bot_id, title, status, needs_human, created_at, last_message_at, last_event_id, messages } =
    conversation;
  const { has_branches, taken_over } = conversation;
  const detail = { id, bot_id, title, status, needs_human, created_at, last_message_at, last_event_id };
  return { ...detail, has_branches, taken_over, messages };
}
