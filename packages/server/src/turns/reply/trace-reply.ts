import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../../app-error.ts';
import type { ModelMessage, ModelRequest, Usage } from '../../models/model.ts';
import { StopRequested } from '../run/lease.ts';
import type { TraceEntry } from '../write/step-changes.ts';
import type { Asked } from './asked.ts';

/** In place of what nobody was sent: a trace is read by more people than may know it. */
const withheld = { withheld: 'What the model said was not sent.' };

export interface TracedAnswer {
  /** Undefined when what was said must not be told. */
  text: string | undefined;
  calls?: readonly unknown[];
  /** Calls that were not run, because the turn had no steps left. */
  dropped?: readonly unknown[];
  usage: Usage | null;
  endedAt: Date;
}

export function modelTrace(asked: Asked, answer: TracedAnswer): TraceEntry {
  const { text, calls = [], dropped = [], usage, endedAt } = answer;
  const said = text === undefined ? withheld : { text };
  return {
    id: asked.traceId,
    type: 'model',
    name: asked.model.id,
    status: 'ok',
    startedAt: asked.startedAt,
    durationMs: endedAt.getTime() - asked.startedAt.getTime(),
    input: shownRequest(asked.request),
    output: {
      ...said,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(dropped.length > 0 && { tool_calls_not_run: dropped }),
    },
    usage,
    error: null,
  };
}

/** A call that failed or was stopped. Only sentences of our own are shown, never a provider's or the system's. */
export function brokenTrace(asked: Asked, answer: TracedAnswer, cause: unknown): TraceEntry {
  const isOurs = cause instanceof AppError || cause instanceof StopRequested;
  return {
    ...modelTrace(asked, answer),
    status: 'error',
    error: isOurs ? cause.message : errorCodes.INTERNAL.message,
  };
}

export function shownRequest({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>) {
  return { system, messages: messages.map(shownMessage) };
}

/** Without what only its provider is to see again. */
function shownMessage(message: ModelMessage) {
  if (message.role !== 'assistant' || !message.toolCalls) return message;
  const toolCalls = message.toolCalls.map(({ providerState: _private, ...call }) => call);
  return { ...message, toolCalls };
}
