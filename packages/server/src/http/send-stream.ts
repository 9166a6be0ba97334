import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import type { ConcurrencyLimits } from './concurrency-limits.ts';
import { type ConversationStreams, lastEventId, type TurnToRead } from './conversation-streams.ts';
import { type Idempotent, idempotencyKeyOf } from './idempotency.ts';
import { traceParentOf } from './request-id.ts';

/** What a request passes on to the work of sending its message. */
export interface SendRequest<Accepted> {
  requestId: string;
  /** The trace of the request, if it belongs to one. */
  traceParent: string | undefined;
  record: RecordAnswer<Accepted>;
  isRecorded: boolean;
  /** Opens the stream before the turn starts, so that nothing of it is missed. */
  onAdmitted(accepted: Accepted): void;
}

export interface MessageToSend<Accepted> {
  send(request: SendRequest<Accepted>): Promise<Accepted>;
  /** Where the stream of a repeated request starts. */
  startOfRepeat(accepted: Accepted, lastSeen: number | undefined): Promise<number | 'all seen'>;
}

export type SendStream = ReturnType<typeof createSendStream>;

/** Returns a function that sends a message once per Idempotency-Key, and streams the events of its turn. */
export function createSendStream(
  conversationStreams: ConversationStreams,
  idempotent: Idempotent,
  concurrencyLimits: ConcurrencyLimits,
) {
  return async <Accepted extends TurnToRead>(
    request: FastifyRequest,
    reply: FastifyReply,
    message: MessageToSend<Accepted>,
  ): Promise<FastifyReply> => {
    const lastSeen = lastEventId(request);
    let isAttached = false;
    const attach = (accepted: TurnToRead, after?: number) => {
      isAttached = true;
      conversationStreams.readTurn(request, reply, accepted, after);
    };
    const isRecorded = idempotencyKeyOf(request) !== undefined;
    const traceParent = traceParentOf(request);
    const given = { requestId: request.id, traceParent, isRecorded, onAdmitted: attach };
    const accepted = await idempotent<Accepted>(request, (record) =>
      concurrencyLimits.during('turns', request, () => message.send({ ...given, record })),
    );
    if (isAttached) return reply;
    // A repeated request: the turn already exists, and its events so far come from the log.
    const after = await message.startOfRepeat(accepted, lastSeen);
    if (after === 'all seen') conversationStreams.readNothing(reply);
    else attach(accepted, after);
    return reply;
  };
}
