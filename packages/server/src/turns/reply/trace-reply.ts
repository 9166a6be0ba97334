import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import type { ModelMessage, ModelRequest, Usage } from '../../models/model.ts';
import { StopRequested } from '../run/lease.ts';
import type { TraceEntry } from '../write/step-changes.ts';
import type { Asked } from './asked.ts';

/** Shown instead of a reply that was not sent, because more people read traces than may know it. */
const withheld = { withheld: 'What the model said was not sent.' };

export interface TracedAnswer {
  /** Undefined if the text must not be shown. */
  text: string | undefined;
  calls?: readonly unknown[];
  /** Calls that did not run because the turn had no steps left. */
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

/** A model call that failed or was stopped. Only our own error messages are shown, never a provider's. */
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

/** Without the state that only its provider may see again. */
function shownMessage(message: ModelMessage) {
  if (message.role !== 'assistant' || !message.toolCalls) return message;
  const toolCalls = message.toolCalls.map(({ providerState: _private, ...call }) => call);
  return { ...message, toolCalls };
}
