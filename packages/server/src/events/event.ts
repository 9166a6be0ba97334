import type { DurableEvents, LiveEvents } from '@svc/contract/chat';

/** What happened, before it has a place in the log. */
export type NewEvent = {
  [Type in keyof DurableEvents]: { type: Type; data: DurableEvents[Type] };
}[keyof DurableEvents];

/** What is only for readers who are there. */
export type LiveEvent = {
  [Type in keyof LiveEvents]: { type: Type; data: LiveEvents[Type] };
}[keyof LiveEvents];

/** An event on its way to readers. Only those of the log have a sequence number. */
export interface StreamEvent {
  sequence: number | null;
  turnId: string | null;
  type: string;
  data: object;
}

/** Events that were just written, numbered from `first`. */
export function numbered(events: readonly NewEvent[], first: number, turnId: string | null): StreamEvent[] {
  return events.map(({ type, data }, index) => ({ sequence: first + index, turnId, type, data }));
}

export function live(turnId: string | null, { type, data }: LiveEvent): StreamEvent {
  return { sequence: null, turnId, type, data };
}
