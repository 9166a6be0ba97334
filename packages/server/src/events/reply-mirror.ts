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
export type ReplyMirror = ReturnType<typeof createReplyMirror>;

/** `onGap` is called when a part of a reply is missing and a snapshot is needed. */
export function createReplyMirror(onGap: () => void) {
  const closed = new Set<string>();
  let reply: Reply | undefined;
  /** The newest turn, if it is over or paused. */
  let endedTurnId: string | null = null;
  /** The number of the event that started, ended or removed it. */
  let turnSequence = 0;

  function isOver(messageId: string, turnId: string | null): boolean {
    return closed.has(messageId) || (turnId !== null && turnId === endedTurnId);
  }

  function close(messageId: string): void {
    if (reply?.messageId === messageId) reply = undefined;
    closed.add(messageId);
    if (closed.size <= maxClosed) return;
    for (const oldest of closed) return void closed.delete(oldest);
  }

  function noteMessage(event: StreamEvent): void {
    if (event.type === 'stream.snapshot' && event.data.text === '') close(event.data.message_id);
    if (event.type === 'message.completed') close(event.data.message.id);
  }

  /** Events of several nodes may arrive out of order: only the newest of those that start or end a turn counts. */
  function noteTurn({ type, sequence, turnId }: StreamEvent): void {
    const isStart = type === 'turn.started' || type === 'turn.resumed';
    // Only what is over is truncated, and then its end is not in the log any more.
    const isTruncation = type === 'conversation.truncated';
    if (sequence === null || sequence <= turnSequence || !(isStart || isTruncation || ends.has(type))) return;
    turnSequence = sequence;
    const overTurnId = isTruncation ? (reply?.turnId ?? endedTurnId) : turnId;
    endedTurnId = isStart ? null : overTurnId;
    if (!isStart && reply?.turnId === overTurnId) reply = undefined;
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
    if (text === '') return true;
    if (isOver(messageId, turnId)) return false;
    if (reply?.messageId === messageId && reply.text.length >= text.length) return false;
    reply = { turnId, messageId, text };
    return true;
  }

  function passOne(event: StreamEvent): StreamEvent | undefined {
    if (event.type === 'message.delta') return nextPart(event);
    noteMessage(event);
    noteTurn(event);
    return event.type === 'stream.snapshot' && !takeSnapshot(event) ? undefined : event;
  }

  return {
    /** A reader found the event in the log or in the database: previews that it ends are dropped from now on. */
    note(event: StreamEvent): void {
      noteMessage(event);
      // A reader that is far behind may read that a turn paused, but not yet that it has resumed.
      if (!ends.has(event.type)) noteTurn(event);
    },
    /** The same for an event that nothing followed when it was read: if it ended or paused a turn, that has not resumed. */
    noteNewest(event: StreamEvent): void {
      noteMessage(event);
      noteTurn(event);
    },
    isClosed: (messageId: string): boolean => closed.has(messageId),
    /** What readers may see of events that were published on this node. */
    passLocal(events: Events): Events {
      let isWhole = true;
      for (const event of events) {
        if (event.type === 'message.delta') isWhole &&= !isOver(event.data.message_id, event.turnId);
        else noteMessage(event);
        noteTurn(event);
      }
      if (isWhole) return events;
      return events.filter(
        (event) => event.type !== 'message.delta' || !isOver(event.data.message_id, event.turnId),
      );
    },
    /** What readers may see of events that were published on another node. */
    passRemote: (events: Events): Events => events.flatMap((event) => passOne(event) ?? []),
    /** The unfinished reply of another node as readers have seen it. */
    snapshots(): Snapshot[] {
      if (!reply) return [];
      const data = { message_id: reply.messageId, text: reply.text };
      return [live(reply.turnId, { type: 'stream.snapshot', data })];
    },
    /** Events may have been missed: deltas are passed on again after the next snapshot. */
    reset(): void {
      reply = undefined;
    },
  };
}
