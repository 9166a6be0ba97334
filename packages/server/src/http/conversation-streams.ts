import { type EventName, turnEnds } from '@svc/contract/event-names';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toEndUserEvents } from '../events/end-user-view.ts';
import type { StreamEvent } from '../events/event.ts';
import { type FollowDependencies, followConversation } from '../events/follow-conversation.ts';
import { invalid } from '../lib/app-error.ts';
import { callerOf } from './access.ts';
import type { EventStreams, ServerSentEvent } from './event-streams.ts';
import type { WatchKey } from './watch-key.ts';

export interface TurnToRead {
  conversation_id: string;
  turn_id: string;
}

export type ConversationStreams = ReturnType<typeof createConversationStreams>;

export interface PlaceToRead {
  conversationId: string;
  after: number | undefined;
}

/** Events outside the turn that readers of a reply need too: operators who join in, and gaps in the stream. */
const ofNoTurn: ReadonlySet<EventName> = new Set([
  'stream.gap',
  'message.operator',
  'conversation.needs_human',
]);

/** A page can hold a megabyte, and an end user can open many streams and read none of them. */
const endUserPageSize = 10;

type Select = (batch: readonly StreamEvent[], end: () => void) => readonly StreamEvent[];

/** The streams of conversations. End users get their view of the events, whatever route opens the stream. */
export function createConversationStreams(
  streams: EventStreams,
  reading: FollowDependencies,
  watchKey: WatchKey,
) {
  function follow(request: FastifyRequest, reply: FastifyReply, place: PlaceToRead, select?: Select): void {
    const { workspaceId } = callerOf(request);
    const view: (events: readonly StreamEvent[]) => readonly ServerSentEvent[] = request.endUser
      ? toEndUserEvents
      : (events) => events;
    const stream = streams.open(reply, select ? 'turn' : 'channel');
    const unwatch = watchKey(request, () => stream.end());
    let isLast = false;
    const unfollow = followConversation(reading, {
      workspaceId,
      ...place,
      pageSize: request.endUser ? endUserPageSize : undefined,
      send(batch) {
        const selected = select
          ? select(batch, () => {
              isLast = true;
            })
          : batch;
        const shown = view(selected);
        if (isLast) stream.end(shown);
        else if (shown.length > 0) stream.send(shown);
      },
      drained: () => stream.drained(),
      onFailed: () => stream.end(),
    });
    stream.onClose(() => {
      unfollow();
      unwatch();
    });
  }

  return {
    /** One turn's events, up to its end. Without `after`, the turn has just started. */
    readTurn(
      request: FastifyRequest,
      reply: FastifyReply,
      turn: TurnToRead,
      after: number | undefined,
    ): void {
      const { conversation_id: conversationId, turn_id: turnId } = turn;
      const ends: readonly EventName[] = turnEnds;
      // No turn runs during a truncation, so a turn that has not ended before it has lost its end.
      const isEnd = (event: StreamEvent) =>
        event.turnId === turnId ? ends.includes(event.type) : event.type === 'conversation.truncated';
      follow(request, reply, { conversationId, after }, (batch, end) => {
        // Most batches are a single delta, which ends nothing.
        const [only] = batch;
        if (batch.length === 1 && only?.type === 'message.delta' && only.turnId === turnId) return batch;
        const last = batch.findIndex(isEnd);
        if (last !== -1) end();
        return batch
          .slice(0, last === -1 ? undefined : last + 1)
          .filter((event) => event.turnId === turnId || ofNoTurn.has(event.type));
      });
    },
    /** Everything after an event, until the reader leaves. Answers a HEAD request with the headers alone. */
    readConversation(request: FastifyRequest, reply: FastifyReply, place: PlaceToRead): void {
      const { conversationId, after } = place;
      if (request.method === 'HEAD') streams.head(reply);
      // Ids are compared as text, and callers may write them in upper case.
      else follow(request, reply, { conversationId: conversationId.toLowerCase(), after });
    },
    /** An empty stream, for a reader that has seen everything. */
    readNothing(reply: FastifyReply): void {
      streams.open(reply, 'turn').end();
    },
  };
}

export const lastEventIdHeader = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The id of the last event that was received: only later ones are sent.' }),
  ),
});

/** What the reader has seen, by its Last-Event-ID header. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return undefined;
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) {
    throw invalid('Last-Event-ID', 'must be the id of an event');
  }
  return Number(header);
}
