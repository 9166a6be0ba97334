import type { NewMessage, ToolCallStatus, TraceEntry } from '../../conversations/conversations.service.ts';
import type { NewEvent } from '../../events/event.ts';
import type { NanoUsd } from '../../lib/money.ts';
import type { Usage } from '../../models/model.ts';
import type { OpenToolCall } from '../tool-calls/tool-call.ts';

export type { TraceEntry } from '../../conversations/conversations.service.ts';

/** What one model call used and cost. */
export interface UsageEntry {
  id: string;
  model: string;
  usage: Usage;
  /** Null if the price of the model is not known. */
  cost: NanoUsd | null;
  /** It is stored and paid for already, and only counted for the turn. */
  isPaid?: boolean;
  /** The message that the model was asked for, which may not have been stored. */
  messageId?: string | undefined;
  /** The step that shows the request if the bot is traced. */
  traceStepId?: string;
}

/** Everything that one step of a turn writes, atomically. */
export interface StepChanges {
  /** The number of steps before this one: a repeated write finds one more and changes nothing. */
  step: number;
  status: 'running' | 'paused' | 'completed' | 'interrupted' | 'failed';
  /** The replies started for the next step. */
  replyIds: string[];
  events: NewEvent[];
  /** Each message is announced by the event with this index. */
  messages: { message: NewMessage; event: number }[];
  usage: UsageEntry[];
  trace: TraceEntry[];
  /** Calls that the model makes with this step. */
  calls?: OpenToolCall[];
  /** Outcomes of earlier calls. */
  outcomes?: ToolCallOutcome[];
}

export interface ToolCallOutcome {
  id: string;
  status: ToolCallStatus;
  /** The arguments that ran; null if the call did not run. */
  executedArguments: Record<string, unknown> | null;
}
