import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndUserDurableEvent, EndUserLiveEvent } from '@svc/contract/end-user-events';
import type { EndUserConversationDetail, EndUserMessage, VisitorMessage } from '@svc/contract/end-users';

type Durable = EndUserDurableEvent & { id: number };

/** A conversation of the scripted service, and what a test can make happen in it. */
export interface ScriptedConversation extends EndUserConversationDetail {
  visitor: string;
  events: Durable[];
  turnId: string;
  preview: { message_id: string; text: string } | undefined;
  /** Previews a piece of the reply. */
  write(text: string): void;
  /** Stores the reply and ends the turn. */
  complete(text?: string): void;
  emit(event: EndUserDurableEvent): void;
  say(role: 'assistant' | 'operator', content: string, author?: string): EndUserMessage;
  fail(code?: 'INTERNAL' | 'INSUFFICIENT_BALANCE'): void;
  pause(): void;
  resume(): void;
  /** Deletes messages, as a truncation does. */
  truncate(count: number): void;
}

interface Answer {
  status: number;
  code?: string;
  details?: object[];
  headers?: Record<string, string>;
}

export interface ScriptedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export type ScriptedService = Awaited<ReturnType<typeof startScriptedService>>;

/** A service that speaks the widget's wire, and in which a test decides what happens. */
export async function startScriptedService() {
  const conversations = new Map<string, ScriptedConversation>();
  const requests: ScriptedRequest[] = [];
  const streams = new Map<ServerResponse, { conversation: ScriptedConversation; turnId?: string }>();
  const accepted = new Map<string, { conversation: ScriptedConversation; eventId: number }>();
  const tokens = new Map<string, string>();
  const refusals: { path: string; answer: Answer | 'cut' | 'hang'; times: number }[] = [];
  let names = 0;
  const control = {
    /** Called for every accepted message; plays the bot. */
    onMessage: undefined as ((conversation: ScriptedConversation, text: string) => void) | undefined,
    /** Called before a request is handled. Returns true if it cut the connection. */
    onRequest: undefined as ((response: ServerResponse) => boolean) | undefined,
  };
  const newName = (kind: string) => `${kind}-${String((names += 1)).padStart(6, '0')}`;

  function newMessage(role: EndUserMessage['role'], content: string, author?: string): EndUserMessage {
    return {
      id: newName('message'),
      role,
      content,
      citations: [],
      author_name: author ?? null,
      interrupted: false,
      created_at: new Date().toISOString(),
    };
  }

  function newConversation(visitor: string): ScriptedConversation {
    const conversation: ScriptedConversation = {
      id: newName('conversation'),
      bot_id: 'bot',
      title: '',
      status: 'idle',
      needs_human: false,
      created_at: new Date().toISOString(),
      last_message_at: null,
      last_event_id: 0,
      messages: [],
      visitor,
      events: [],
      turnId: '',
      preview: undefined,
      emit(event) {
        conversation.last_event_id += 1;
        const numbered = { ...event, id: conversation.last_event_id } as Durable;
        conversation.events.push(numbered);
        send(conversation, numbered);
      },
      write(text) {
        conversation.preview ??= { message_id: newName('message'), text: '' };
        const { preview } = conversation;
        const data = { message_id: preview.message_id, offset: preview.text.length, text };
        preview.text += text;
        send(conversation, { type: 'message.delta', data });
      },
      say(role, content, author) {
        const message = newMessage(role, content, author);
        if (role === 'assistant' && conversation.preview) message.id = conversation.preview.message_id;
        conversation.messages.push(message);
        const type = role === 'operator' ? 'message.operator' : 'message.completed';
        conversation.emit({ type, data: { message } });
        return message;
      },
      complete(text) {
        const { id } = conversation.say('assistant', text ?? conversation.preview?.text ?? 'Done.');
        conversation.preview = undefined;
        conversation.status = 'idle';
        conversation.emit({
          type: 'turn.completed',
          data: { turn_id: conversation.turnId, message_id: id, handed_off: false },
        });
      },
      fail(code = 'INTERNAL') {
        conversation.status = 'idle';
        conversation.preview = undefined;
        const error = { code, message: 'It failed.', retryable: true };
        conversation.emit({ type: 'turn.failed', data: { turn_id: conversation.turnId, error } });
      },
      pause() {
        conversation.status = 'paused';
        conversation.emit({ type: 'turn.paused', data: { turn_id: conversation.turnId } });
      },
      resume() {
        conversation.status = 'running';
        conversation.emit({ type: 'turn.resumed', data: { turn_id: conversation.turnId } });
      },
      truncate(count) {
        conversation.messages.splice(count);
        const after = conversation.messages.at(-1)?.id ?? '';
        conversation.emit({ type: 'conversation.truncated', data: { after_message_id: after } });
      },
    };
    conversations.set(conversation.id, conversation);
    return conversation;
  }

  function send(conversation: ScriptedConversation, event: Durable | EndUserLiveEvent): void {
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

  function accept(
    visitor: string,
    body: VisitorMessage,
    key: string,
  ): Answer | (typeof accepted extends Map<string, infer Value> ? Value : never) {
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
    const message = newMessage('user', body.message);
    wanted.messages.push(message);
    wanted.turnId = newName('turn');
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
    if (request.path === 'look') return answer({});
    if (request.path === 'token') {
      const { renewal_token: renewal, user_id: user } = request.body;
      const visitor = user ?? (renewal ? tokens.get(String(renewal)) : newName('visitor'));
      if (!visitor) return refuse({ status: 401, code: 'UNAUTHORIZED' });
      const token = newName('token');
      const renewed = newName('renewal');
      tokens.set(token, String(visitor)).set(renewed, String(visitor));
      return answer({ token, renewal_token: renewed, expires_at: '', visitor_id: visitor }, 201);
    }
    const visitor = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (!visitor) return refuse({ status: 401, code: 'UNAUTHORIZED' });
    const own = [...conversations.values()].filter((conversation) => conversation.visitor === visitor);
    const find = (id: unknown) => own.find((conversation) => conversation.id === id);
    if (request.path === 'conversations') return answer(own.toReversed().map(toDetail));
    if (request.path === 'messages') {
      const key = `${visitor} ${request.headers['idempotency-key']}`;
      const result = accept(visitor, request.body as unknown as VisitorMessage, key);
      if ('status' in result) return refuse(result);
      const { conversation, eventId } = result;
      return open(response, conversation, eventId - 1, conversation.turnId);
    }
    const [, id] = /^conversations\/(.+)/.exec(request.path) ?? [];
    const conversation = find(id ?? request.query.get('conversation_id') ?? request.body['conversation_id']);
    if (!conversation) return refuse({ status: 404, code: 'NOT_FOUND' });
    if (request.path === 'stop') {
      const isStopped = conversation.status !== 'idle';
      if (isStopped) interrupt(conversation);
      return answer({ stopped: isStopped });
    }
    if (request.path === 'stream') return open(response, conversation, Number(request.query.get('after')));
    return answer(toDetail(conversation));
  }

  function interrupt(conversation: ScriptedConversation): void {
    if (conversation.preview) {
      const message = newMessage('assistant', conversation.preview.text);
      Object.assign(message, { id: conversation.preview.message_id, interrupted: true });
      conversation.messages.push(message);
      conversation.preview = undefined;
      conversation.emit({ type: 'message.completed', data: { message } });
    }
    conversation.status = 'idle';
    conversation.emit({ type: 'turn.interrupted', data: { turn_id: conversation.turnId } });
  }

  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://service');
    let text = '';
    for await (const chunk of incoming) text += chunk;
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

function frame(event: Durable | EndUserLiveEvent): string {
  const id = 'id' in event ? `id: ${event.id}\n` : '';
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

function toDetail(conversation: ScriptedConversation): object {
  const { id, bot_id, title, status, needs_human, created_at, last_message_at, last_event_id, messages } =
    conversation;
  return { id, bot_id, title, status, needs_human, created_at, last_message_at, last_event_id, messages };
}
