import { withChangedArguments } from '@svc/contract/changed-result';
import type { NewMessage } from '../../conversations/conversations.service.ts';
import type { NewEvent } from '../../events/event.ts';
import { newId } from '../../lib/new-id.ts';
import type { ModelImage } from '../../models/model-image.ts';
import type { KnownPassage } from '../../models/passages.ts';
import type { EmbeddingUse } from '../../tools/tools.service.ts';
import { isObject } from '../../validation/json-schema/check.ts';
import type { StepChanges, TraceEntry } from '../write/step-changes.ts';
import { argumentsToRun, type OpenToolCall } from './tool-call.ts';

/** How a call ended. */
export interface ToolCallEnd {
  call: OpenToolCall;
  outcome: 'ok' | 'error' | 'denied' | 'unknown';
  /** What the model reads. */
  content: string;
  /** What readers see. */
  result: unknown;
  /** The real error, only for the trace, if the tool hides its errors from models and readers. */
  hidden?: { content: string; result: unknown };
  /** What a search of the knowledge found. */
  passages?: KnownPassage[];
  /** What that search used. */
  used?: EmbeddingUse;
  /** What the model sees with its result. */
  images?: readonly ModelImage[];
  startedAt: Date;
  durationMs: number;
}

/** What is written when calls end: a message for the model, an event for readers, the call's own state. */
export function toolCallEndsWrite(
  ends: readonly ToolCallEnd[],
  now: Date,
  isTraced: boolean,
): Pick<StepChanges, 'events' | 'messages' | 'outcomes' | 'trace'> {
  return {
    events: ends.map(completedEvent),
    messages: ends.map((end, event) => ({ message: toolMessage(end, now), event })),
    outcomes: ends.map(({ call, outcome }) => ({ id: call.id, status: outcome, executedArguments: null })),
    trace: isTraced ? ends.map(traceOf) : [],
  };
}

function completedEvent({ call, outcome, result, durationMs }: ToolCallEnd): NewEvent {
  return {
    type: 'tool.completed',
    data: { tool_call_id: call.id, status: outcome, result, duration_ms: durationMs },
  };
}

function toolMessage({ call, outcome, content, passages = [] }: ToolCallEnd, now: Date): NewMessage {
  return {
    id: newId(),
    role: 'tool',
    content: toldTruth(call, content),
    toolCalls: [],
    toolCallId: call.id,
    citations: passages,
    interrupted: false,
    failed: outcome !== 'ok',
    authorName: null,
    attachments: null,
    createdAt: now,
  };
}

/** A model must know when what ran is not what it proposed. */
function toldTruth(call: OpenToolCall, content: string): string {
  if (!call.approval?.editedArguments) return content;
  return withChangedArguments(argumentsToRun(call), content);
}

function traceOf(end: ToolCallEnd): TraceEntry {
  return {
    id: newId(),
    type: 'tool',
    name: end.call.name,
    status: end.outcome === 'ok' ? 'ok' : 'error',
    startedAt: end.startedAt,
    durationMs: end.durationMs,
    input: argumentsToRun(end.call),
    output: withoutImageData((end.hidden ?? end).result),
    usage: null,
    error: end.outcome === 'ok' ? null : (end.hidden ?? end).content,
  };
}

/** Traces cut long texts, and half of an image is none. Readers get it with the call's event. */
function withoutImageData(result: unknown): unknown {
  if (!isObject(result) || !Array.isArray(result['images'])) return result;
  const images = result['images'].map((image: unknown) =>
    isObject(image) && 'data' in image ? { ...image, data: '[not traced]' } : image,
  );
  return { ...result, images };
}
