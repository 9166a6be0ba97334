import { setTimeout as sleep } from 'node:timers/promises';
import type { FullEvent } from '@svc/client/conversation';
import type { SendMessage } from '@svc/contract/chat';
import type { EventName } from '@svc/contract/event-names';
import { newId } from '../../lib/new-id.ts';
import type { ApiClient } from './api-client.ts';
import { ConnectionLost, isTemporary } from './service-errors.ts';

const maxRetries = 8;
const maxWaitMilliseconds = 5_000;
/** A connection that lasted this long resets the retries, even if nothing arrived. */
const steadyMilliseconds = 10_000;

/** A turn that waits for a person. */
export interface ResumedTurn {
  conversationId: string;
  /** The last event that is known of it. */
  lastId: number;
}

/**
 * Sends a message and reads its turn to the end, across broken connections. Until the turn is known to have started, the send
 * is repeated with the same key, which starts no second turn; after that, the conversation is followed from the last event.
 * No durable event is yielded twice.
 */
export async function* turnEvents(options: {
  client: Pick<ApiClient, 'send' | 'followConversation'>;
  /** What is sent, or the turn that is read on from an event. */
  from: { message: SendMessage } | ResumedTurn;
  /** Continue reading while the turn waits for an approval. */
  waitsForApprovals: boolean;
  say(text: string): void;
  signal: AbortSignal;
}): AsyncGenerator<FullEvent> {
  const { client, from, say, signal } = options;
  const ends = new Set<EventName>(['turn.completed', 'turn.interrupted', 'turn.failed']);
  if (!options.waitsForApprovals) ends.add('turn.paused');
  const idempotencyKey = newId();
  let conversationId = 'message' in from ? '' : from.conversationId;
  let lastId = 'message' in from ? undefined : from.lastId;
  let failures = 0;

  for (;;) {
    let isPaused = false;
    let problem: unknown = new ConnectionLost('The stream ended before the turn.');
    const openedAt = performance.now();
    const stream =
      'message' in from && (conversationId === '' || lastId === undefined)
        ? client.send(from.message, idempotencyKey, signal)
        : client.followConversation(conversationId, lastId ?? 0, signal);
    try {
      for await (const event of stream) {
        if (failures > 0) say('Connected again.');
        failures = 0;
        if (event.id !== undefined && event.id <= (lastId ?? 0)) continue;
        lastId = event.id ?? lastId;
        if (event.type === 'turn.started') conversationId = event.data.conversation_id;
        isPaused = event.type === 'turn.paused';
        yield event;
        if (ends.has(event.type)) return;
      }
    } catch (error) {
      problem = error;
    }
    signal.throwIfAborted();
    // The stream of a send ends with a pause; later events are on the conversation's stream.
    if (isPaused) continue;
    if (performance.now() - openedAt > steadyMilliseconds) failures = 0;
    if (!isTemporary(problem) || failures >= maxRetries) throw problem;
    const wait = Math.min(250 * 2 ** failures, maxWaitMilliseconds);
    failures += 1;
    const reason = problem instanceof Error ? problem.message : '';
    say(`${reason} Trying again in ${wait / 1_000} s (${failures} of ${maxRetries}).`);
    await sleep(wait, undefined, { signal });
  }
}
