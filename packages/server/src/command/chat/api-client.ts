import type {
  Approval,
  ApprovalGrant,
  Bot,
  ConversationDetail,
  Event as LoggedEvent,
  Truncated,
} from '@svc/client/api-types';
import type { FullEvent } from '@svc/client/conversation';
import { createClient } from '@svc/client/create-client';
import type { ApprovalResponse } from '@svc/contract/approvals';
import type { SendMessage } from '@svc/contract/chat';
import { createTrustedLane } from '../../egress/trusted-lane.ts';
import type { ServiceAddress } from './service-address.ts';
import {
  ConnectionLost,
  notTheService,
  ServiceRefused,
  toServiceRefused,
  unreachable,
} from './service-errors.ts';

/** The public API of a running service. Throws ConnectionLost, ServiceRefused, or the signal's reason. */
export type ApiClient = ReturnType<typeof createApiClient>;

/** The trusted lane, because the address comes from the person who runs the command. */
export function createApiClient({ url, key }: ServiceAddress, signal: AbortSignal) {
  const lane = createTrustedLane();
  const client = createClient({ baseUrl: url, key, fetch: fetchFromService });

  /** Something else than the service may answer at this address. */
  async function fetchFromService(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const response = await lane.fetch(input, init).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    const accepted = new Headers(init.headers).get('accept') ?? '';
    if (response.ok && response.headers.get('content-type')?.startsWith(accepted)) return response;
    throw response.ok ? notTheService(url, response.status) : await toServiceRefused(url, response);
  }

  async function arriving<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      throw toFailure(error);
    }
  }

  async function* following(events: AsyncGenerator<FullEvent>): AsyncGenerator<FullEvent> {
    try {
      yield* events;
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Throws instead if the command is ending. */
  function toFailure(error: unknown): Error {
    signal.throwIfAborted();
    if (error instanceof ServiceRefused || error instanceof ConnectionLost) return error;
    // Not what a service sends: it would come again.
    if (error instanceof SyntaxError || error instanceof RangeError) return error;
    return new ConnectionLost('The connection broke.');
  }

  return {
    listBots: (): Promise<Bot[]> => arriving(client.request('GET /api/v1/bots', { signal })),
    changeModel: async (id: string, model: string): Promise<void> => {
      await arriving(client.request('PUT /api/v1/bots/{id}', { path: { id }, body: { model }, signal }));
    },
    getConversation: (id: string): Promise<ConversationDetail> =>
      arriving(client.request('GET /api/v1/conversations/{id}', { path: { id }, signal })),
    /** Removes everything after a message, with the changes of files that calls made since. */
    truncate: (id: string, messageId: string): Promise<Truncated> => {
      const body = { message_id: messageId, revert_files: true };
      return arriving(
        client.request('POST /api/v1/conversations/{id}/truncate', { path: { id }, body, signal }),
      );
    },
    listEvents: (conversationId: string): Promise<LoggedEvent[]> => {
      const query = { conversation_id: conversationId };
      return arriving(client.request('GET /api/v1/chat/events', { query, signal }));
    },
    listPending: (conversationId: string): Promise<Approval[]> => {
      const query = { conversation_id: conversationId };
      return arriving(client.request('GET /api/v1/hitl', { query, signal }));
    },
    /** What was allowed in a conversation. */
    listGrants: (conversationId: string): Promise<ApprovalGrant[]> => {
      const query = { conversation_id: conversationId };
      return arriving(client.request('GET /api/v1/approval-grants', { query, signal }));
    },
    async revokeGrant(id: string): Promise<void> {
      await arriving(client.request('DELETE /api/v1/approval-grants/{id}', { path: { id }, signal }));
    },
    getBot: (id: string): Promise<Bot> =>
      arriving(client.request('GET /api/v1/bots/{id}', { path: { id }, signal })),
    /** Sends a message. A repeat with the same key attaches to the turn that the first one started. */
    send(body: SendMessage, idempotencyKey: string, until: AbortSignal = signal): AsyncGenerator<FullEvent> {
      const header = { 'idempotency-key': idempotencyKey };
      const ending = AbortSignal.any([signal, until]);
      return following(client.events('POST /api/v1/chat/send-stream', { header, body, signal: ending }));
    },
    /** The events of a conversation after this one, then live events. */
    followConversation(
      conversationId: string,
      after: number,
      until: AbortSignal = signal,
    ): AsyncGenerator<FullEvent> {
      const query = { conversation_id: conversationId };
      const header = { 'last-event-id': String(after) };
      const ending = AbortSignal.any([signal, until]);
      return following(client.events('GET /api/v1/chat/stream', { query, header, signal: ending }));
    },
    /** Answers an approval. */
    async respond(id: string, body: ApprovalResponse): Promise<void> {
      await arriving(client.request('POST /api/v1/hitl/{id}/respond', { path: { id }, body, signal }));
    },
    /** Interrupts the turn of a conversation, if there is one. */
    async stop(conversationId: string): Promise<void> {
      const body = { conversation_id: conversationId };
      await arriving(client.request('POST /api/v1/chat/stop', { body, signal }));
    },
    close: (): Promise<void> => lane.close(),
  };
}
