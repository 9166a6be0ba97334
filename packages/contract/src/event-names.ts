/** Events that are stored: each has an id in its conversation's one sequence. */
export const durableEventNames = [
  'turn.started',
  'turn.paused',
  'turn.resumed',
  'turn.completed',
  'turn.interrupted',
  'turn.failed',
  'message.completed',
  'message.operator',
  'message.rated',
  'tool.started',
  'tool.completed',
  'approval.requested',
  'approval.resolved',
  'conversation.needs_human',
  'conversation.updated',
  'conversation.branched',
  'conversation.truncated',
] as const;
export type DurableEventName = (typeof durableEventNames)[number];

/** Events that only connected readers receive: never stored, and without an id. */
export const liveEventNames = [
  'message.delta',
  'message.typing',
  'tool.progress',
  'stream.snapshot',
  'stream.gap',
] as const;
export type LiveEventName = (typeof liveEventNames)[number];

export type EventName = DurableEventName | LiveEventName;

/** The events that end the stream of a send. */
export const turnEnds = [
  'turn.completed',
  'turn.paused',
  'turn.interrupted',
  'turn.failed',
] as const satisfies readonly DurableEventName[];
