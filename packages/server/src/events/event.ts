import type { DurableEvent, LiveEvent, LoggedEvent } from '@svc/contract/events';

/** An event that is not in the log yet. */
export type NewEvent = DurableEvent;

interface Live {
  sequence: null;
  turnId: string | null;
}

interface Numbered {
  sequence: number;
  turnId: string | null;
}

/** An event on its way to readers. Only stored events have a sequence number. */
export type StreamEvent = (DurableEvent & Numbered) | (LiveEvent & Live);

/** An unfinished reply so far. */
export type Snapshot = Extract<LiveEvent, { type: 'stream.snapshot' }> & Live;

/** A stored event. */
export type EventRow = DurableEvent & Numbered & { createdAt: Date };

/** Events that were just written, numbered from `first`. */
export function numbered(events: readonly NewEvent[], first: number, turnId: string | null): StreamEvent[] {
  return events.map((event, index) => ({ ...event, sequence: first + index, turnId }));
}

export function live<Event extends LiveEvent>(turnId: string | null, event: Event): Event & Live {
  return { ...event, sequence: null, turnId };
}

/** Makes readers drop what they previewed of a message that will not be completed. */
export function retraction(turnId: string, messageId: string): Snapshot {
  return live(turnId, { type: 'stream.snapshot', data: { message_id: messageId, text: '' } });
}

/** A stored event as the API lists it. */
export function toLoggedEvent({ sequence, type, data, createdAt }: EventRow): LoggedEvent {
  const listed = { id: sequence, event: type, data, created_at: createdAt.toISOString() };
  // The compiler loses the link between a name and its data when a field is renamed.
  return listed as LoggedEvent;
}
