import type { FullEvent } from '@svc/client/conversation';
import { readServerEvents } from '@svc/client/server-events';
import type { ApprovalResponse } from '@svc/contract/approvals';
import type { Bot } from '@svc/contract/bots';
import type { SendMessage } from '@svc/contract/chat';
import { createTrustedLane } from '../../egress/trusted-lane.ts';
import type { ServiceAddress } from './service-address.ts';
import { ConnectionLost, notTheService, toServiceRefused, unreachable } from './service-errors.ts';

/** The public API of a running service. Throws ConnectionLost, ServiceRefused, or the signal's reason. */
export interface ApiClient {
  listBots(): Promise<Bot[]>;
  getBot(id: string): Promise<Bot>;
  /** Sends a message. A repeat with the same key attaches to the turn that the first one started. */
  send(message: SendMessage, idempotencyKey: string, until?: AbortSignal): AsyncGenerator<FullEvent>;
  /** The events of a conversation after this one, then live events. */
  followConversation(conversationId: string, after: number, until?: AbortSignal): AsyncGenerator<FullEvent>;
  /** Answers an approval. */
  respond(approvalId: string, response: ApprovalResponse): Promise<void>;
  /** Interrupts the turn of a conversation, if there is one. */
  stop(conversationId: string): Promise<void>;
  close(): Promise<void>;
}

interface Call {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: object;
  /** The expected content type. */
  answer?: 'application/json' | 'text/event-stream';
}

/** The service sends at least a comment every 15 seconds, so a connection that is silent this long is dead. */
const silenceMilliseconds = 45_000;

/** The trusted lane, because the address comes from the person who runs the command. */
export function createApiClient({ url, key }: ServiceAddress, signal: AbortSignal): ApiClient {
  const lane = createTrustedLane();

  async function call(wanted: Call, until = signal): Promise<Response> {
    const { method = 'GET', path, headers, body, answer = 'application/json' } = wanted;
    const request = {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: until,
    };
    const response = await arriving(lane.fetch(`${url}/api/v1${path}`, request), (error) =>
      unreachable(url, error),
    );
    if (response.ok && response.headers.get('content-type')?.startsWith(answer)) return response;
    if (response.ok) throw notTheService(url, response.status);
    throw await arriving(toServiceRefused(url, response));
  }

  async function callForJson<Answer>(request: Call): Promise<Answer> {
    const response = await call(request);
    return (await arriving(response.json())) as Answer;
  }

  async function* callForEvents(request: Call, until = signal): AsyncGenerator<FullEvent> {
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), silenceMilliseconds).unref();
    try {
      const { body } = await call(request, AbortSignal.any([signal, until, ending.signal]));
      const batches = readServerEvents<FullEvent>(body);
      for (;;) {
        const next = await arriving(batches.next());
        if (next.done) return;
        timer.refresh();
        yield* next.value;
      }
    } finally {
      clearTimeout(timer);
      ending.abort(); // A followed conversation never ends on its own, even when the reader has stopped.
    }
  }

  /** Turns any failure into ConnectionLost, unless the command is ending. */
  async function arriving<Result>(
    work: Promise<Result>,
    describe: (error: unknown) => ConnectionLost = () => new ConnectionLost('The connection broke.'),
  ): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      throw describe(error);
    }
  }

  return {
    listBots: () => callForJson({ path: '/bots' }),
    getBot: (id) => callForJson({ path: `/bots/${encodeURIComponent(id)}` }),
    send(body, idempotencyKey, until) {
      const request = {
        method: 'POST',
        path: '/chat/send-stream',
        answer: 'text/event-stream',
        headers: { 'idempotency-key': idempotencyKey },
        body,
      } as const;
      return callForEvents(request, until);
    },
    followConversation(conversationId, after, until) {
      const request = {
        path: `/chat/stream?conversation_id=${conversationId}`,
        answer: 'text/event-stream',
        headers: { 'last-event-id': String(after) },
      } as const;
      return callForEvents(request, until);
    },
    async respond(approvalId, body) {
      const path = `/hitl/${encodeURIComponent(approvalId)}/respond`;
      await callForJson({ method: 'POST', path, body });
    },
    async stop(conversationId) {
      await callForJson({ method: 'POST', path: '/chat/stop', body: { conversation_id: conversationId } });
    },
    close: () => lane.close(),
  };
}
