import type { CallStatus, NewMessage, TraceEntry } from '../../conversations/service.ts';
import type { NewEvent } from '../../events/event.ts';
import type { Usage } from '../../models/model.ts';
import type { NanoUsd } from '../../money.ts';
import type { OpenCall } from '../calls/call.ts';

export type { TraceEntry } from '../../conversations/service.ts';

/** What one model call used and cost. */
export interface UsageEntry {
  id: string;
  model: string;
  usage: Usage;
  /** Null when nobody knows what the model costs. */
  cost: NanoUsd | null;
  /** It is written and paid for already: it counts for the turn, and not once more. */
  isPaid?: boolean;
}

/** Everything that one step of a turn writes, at once or not at all. */
export interface StepChanges {
  /** How many steps the turn had before: a repeated write finds one more and changes nothing. */
  step: number;
  status: 'running' | 'paused' | 'completed' | 'interrupted' | 'failed';
  /** The replies begun for the next step. */
  replyIds: string[];
  events: NewEvent[];
  /** Each message is announced by one of the events, named by its place among them. */
  messages: { message: NewMessage; event: number }[];
  usage: UsageEntry[];
  trace: TraceEntry[];
  /** Calls that the model makes with this step. */
  calls?: OpenCall[];
  /** What became of calls that were made before. */
  outcomes?: CallOutcome[];
}

export interface CallOutcome {
  id: string;
  status: CallStatus;
  /** What really ran, where a person changed it. */
  executedArguments: Record<string, unknown> | null;
}
