import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { ScriptedModel } from '../scripted-model/server.ts';
import { openSse, type SseEvent, type SseReader } from './sse-client.ts';
import type { Call } from './test-app.ts';

export const canaryKey = 'sk-canary-5f1d9c7e2b';

/** The environment that makes a service use the scripted model in OpenAI's wire format. */
export function scriptedEnvironment(scripted: Pick<ScriptedModel, 'url'>): Record<string, string> {
  return {
    OPENAI_API_KEY: canaryKey,
    OPENAI_BASE_URL: scripted.url('openai'),
    SVC_DEFAULT_MODEL: 'openai/gpt-4o',
  };
}

export interface Message {
  bot_id?: string;
  message?: string;
  /** A random one if it is left out; none if it is undefined. */
  external_user_id?: string | undefined;
  conversation_id?: string;
  new_conversation?: boolean;
  metadata?: unknown;
  [field: string]: unknown;
}

export interface SendOptions {
  key?: string;
  headers?: Record<string, string>;
}

/** A completed turn, as its sender saw it. */
export interface SaidTurn {
  events: SseEvent[];
  conversationId: string;
  turnId: string;
  userMessageId: string;
  /** The id of the reply, if there was one. */
  messageId: string | undefined;
  text: string | undefined;
  last: SseEvent;
}

export interface Chat {
  /** Opens send-stream and returns once the headers arrive. */
  send(message: Message, options?: SendOptions): Promise<SseReader>;
  /** Sends and waits for the end of the turn. */
  say(message: Message, options?: SendOptions): Promise<SaidTurn>;
  /** Opens chat/stream. */
  listen(
    conversationId: string,
    options?: SendOptions & { after?: number; lastEventId?: number | string },
  ): Promise<SseReader>;
  bot(fields?: object): Promise<string>;
  log(conversationId: string, after?: number): Promise<(SseEvent & { created_at: string })[]>;
}

export function chatWith(service: () => { url: string; key: string; call: Call }): Chat {
  const send: Chat['send'] = (message, options) => {
    const { url, key } = service();
    const body = { message: 'hello', external_user_id: randomUUID(), ...message };
    return openSse(`${url}/api/v1/chat/send-stream`, { method: 'POST', key, body, ...options });
  };
  return {
    send,
    async say(message, options) {
      const reader = await send(message, options);
      const { events, complete } = await reader.ended();
      expect(complete).toBe(true);
      return turnOf(events);
    },
    listen(conversationId, { after, lastEventId, ...options } = {}) {
      const { url, key } = service();
      const query = `conversation_id=${conversationId}${after === undefined ? '' : `&after=${after}`}`;
      const headers = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
      return openSse(`${url}/api/v1/chat/stream?${query}`, { key, headers, ...options });
    },
    async bot(fields = {}) {
      const body = { name: 'Bot', system_prompt: 'Be kind.', ...fields };
      const answer = await service().call('POST /api/v1/bots', { body });
      expect(answer).toMatchObject({ status: 201 });
      return answer.body.id;
    },
    async log(conversationId, after = 0) {
      const path = `/api/v1/chat/events?conversation_id=${conversationId}&after=${after}`;
      const answer = await service().call(`GET ${path}`);
      expect(answer.status).toBe(200);
      return answer.body;
    },
  };
}

export function turnOf(events: SseEvent[]): SaidTurn {
  const started = events.find(({ event }) => event === 'turn.started');
  const message = events.find(({ event }) => event === 'message.completed')?.data.message;
  const last = events.at(-1);
  if (!started || !last) throw new Error(`not a turn: ${JSON.stringify(events)}`);
  return {
    events,
    conversationId: started.data.conversation_id,
    turnId: started.data.turn_id,
    userMessageId: started.data.user_message.id,
    messageId: message?.id,
    text: message?.content,
    last,
  };
}

/** Polls until the value matches, with patience for a busy machine. */
/** A state that lasts is looked for rarely: each look may be a request. */
export const eventually = <Seen>(look: () => Seen, interval = 20) => expect.poll(look, { interval });

export const namesOf = (events: readonly SseEvent[]): string[] => events.map(({ event }) => event);
export const idsOf = (events: readonly SseEvent[]): number[] =>
  events.flatMap(({ id }) => (id === undefined ? [] : [id]));
export const durable = (events: readonly SseEvent[]): SseEvent[] =>
  events.filter(({ id }) => id !== undefined);

/** 1, 2, … n */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** What a reader shows: snapshots replace the text, and each delta continues exactly where it ended. */
export function previewOf(events: readonly SseEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { event, data } of events) {
    if (event === 'stream.snapshot') texts.set(data.message_id, data.text);
    if (event !== 'message.delta') continue;
    const before = texts.get(data.message_id) ?? '';
    expect(data.offset).toBe(before.length);
    expect(data.text.isWellFormed()).toBe(true);
    texts.set(data.message_id, before + data.text);
  }
  return texts;
}

/** The messages of a request to the model, the system message first. */
export function askedBy(
  request: { body: Record<string, unknown> } | undefined,
): { role: string; content: string }[] {
  return (request?.body['messages'] ?? []) as { role: string; content: string }[];
}
