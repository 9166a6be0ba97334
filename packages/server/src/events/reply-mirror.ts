import { type EventName, turnEnds } from '@svc/contract/event-names';
import { live, type Snapshot, type StreamEvent } from './event.ts';

type Events = readonly StreamEvent[];
type Delta = Extract<StreamEvent, { type: 'message.delta' }>;

/** Previews of this many finished messages are recognised when they arrive late. */
const maxClosed = 50;
const ends: ReadonlySet<EventName> = new Set(turnEnds);

interface Reply {
  turnId: string | null;
  messageId: string;
  text: string;
}

/**
 * Knows what the readers of a conversation on this node have seen of a reply that is written on another node, so that they
 * get its deltas without a hole or an overlap, and none of a message that is completed or discarded.
 */
export interface ReplyMirror {
  /** What readers may see of events that were published on this node. */
  passLocal(events: Events): Events;
  /** What readers may see of events that were published on another node. */
  passRemote(events: Events): Events;
  /** The message is completed or discarded: its previews are dropped from now on. */
  close(messageId: string): void;
  isClosed(messageId: string): boolean;
  /** The unfinished reply of another node as readers have seen it. */
  snapshots(): Snapshot[];
  /** Events may have been missed: deltas are passed on again after the next snapshot. */
  reset(): void;
}

/** `onGap` is called when a part of a reply is missing and a snapshot is needed. */
export function createReplyMirror(onGap: () => void): ReplyMirror {
  const closed = new Set<string>();
  let reply: Reply | undefined;
  /** The newest turn that is over or paused. */
  let endedTurnId: string | null = null;
  let newestSequence = 0;

  function isOver(messageId: string, turnId: string | null): boolean {
    return closed.has(messageId) || (turnId !== null && turnId === endedTurnId);
  }

  function close(messageId: string): void {
    if (reply?.messageId === messageId) reply = undefined;
    closed.add(messageId);
    if (closed.size <= maxClosed) return;
    for (const oldest of closed) return void closed.delete(oldest);
  }

  /** Events of several nodes may arrive out of order. */
  function noteTurn({ type, sequence, turnId }: StreamEvent): void {
    if (sequence === null || sequence <= newestSequence) return;
    newestSequence = sequence;
    if (type === 'turn.started' || type === 'turn.resumed') endedTurnId = null;
    if (!ends.has(type)) return;
    endedTurnId = turnId;
    if (reply?.turnId === turnId) reply = undefined;
  }

  /** The part of a delta that readers have not seen; undefined if there is none, or if an earlier part is missing. */
  function nextPart(delta: Delta): Delta | undefined {
    const { message_id: messageId, offset, text } = delta.data;
    if (isOver(messageId, delta.turnId)) return undefined;
    if (reply?.messageId !== messageId && offset === 0) {
      reply = { turnId: delta.turnId, messageId, text };
      return delta;
    }
    if (reply?.messageId !== messageId || offset > reply.text.length) {
      onGap();
      return undefined;
    }
    const seen = reply.text.length - offset;
    if (seen >= text.length) return undefined;
    reply.text += text.slice(seen);
    if (seen === 0) return delta;
    return { ...delta, data: { ...delta.data, offset: offset + seen, text: text.slice(seen) } };
  }

  /** Whether readers need the snapshot. */
  function takeSnapshot({ turnId, data }: Snapshot): boolean {
    const { message_id: messageId, text } = data;
    if (text === '') {
      close(messageId);
      return true;
    }
    if (isOver(messageId, turnId)) return false;
    if (reply?.messageId === messageId && reply.text.length >= text.length) return false;
    reply = { turnId, messageId, text };
    return true;
  }

  function passOne(event: StreamEvent): StreamEvent | undefined {
    if (event.type === 'message.delta') return nextPart(event);
    if (event.type === 'stream.snapshot') return takeSnapshot(event) ? event : undefined;
    if (event.type === 'message.completed') close(event.data.message.id);
    noteTurn(event);
    return event;
  }

  return {
    close,
    isClosed: (messageId) => closed.has(messageId),
    passLocal(events) {
      let isWhole = true;
      for (const event of events) {
        if (event.type === 'message.delta') isWhole &&= !isOver(event.data.message_id, event.turnId);
        else if (event.type === 'stream.snapshot' && event.data.text === '') close(event.data.message_id);
        else if (event.type === 'message.completed') close(event.data.message.id);
        noteTurn(event);
      }
      if (isWhole) return events;
      return events.filter(
        (event) => event.type !== 'message.delta' || !isOver(event.data.message_id, event.turnId),
      );
    },
    passRemote: (events) => events.flatMap((event) => passOne(event) ?? []),
    snapshots() {
      if (!reply) return [];
      const data = { message_id: reply.messageId, text: reply.text };
      return [live(reply.turnId, { type: 'stream.snapshot', data })];
    },
    reset() {
      reply = undefined;
    },
  };
}
