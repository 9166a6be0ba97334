import { type Context, type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Model, ModelMessage, ModelPart, ModelRequest, OnPart } from '../models/model.ts';
import { isLocalModel } from '../models/providers/providers.ts';
import { finishAttributes, modelAttributes, requestAttributes } from './conventions.ts';
import { recordFailure } from './span-failure.ts';

export interface ModelObserver {
  tracer: Tracer;
  parent: Context;
  captureContent: boolean;
}

/** The same model; each reply is a span from request to end, including retries. */
export function observeModel(model: Model, observer: ModelObserver): Model {
  return {
    ...model,
    async reply(request, onPart, signal) {
      const span = startSpan(model, request, observer);
      const startedAt = performance.now();
      const parts: ModelPart[] = [];
      let isFirst = true;
      const observe: OnPart = (part) => {
        if (isFirst && part.type !== 'lost') {
          const seconds = (performance.now() - startedAt) / 1_000;
          span.setAttribute('gen_ai.response.time_to_first_chunk', seconds);
          isFirst = false;
        }
        if (part.type === 'finish') span.setAttributes(finishAttributes(part));
        if (observer.captureContent) parts.push(part);
        onPart(part);
      };
      try {
        await model.reply(request, observe, signal);
      } catch (error) {
        recordFailure(span, error, signal);
        throw error;
      } finally {
        if (observer.captureContent) span.setAttributes(outputContent(parts));
        span.end();
      }
    },
  };
}

function startSpan(model: Model, request: ModelRequest, observer: ModelObserver): Span {
  const attributes = modelAttributes(model);
  return observer.tracer.startSpan(
    `chat ${attributes['gen_ai.request.model']}`,
    {
      kind: isLocalModel(model.id) ? SpanKind.INTERNAL : SpanKind.CLIENT,
      attributes: {
        ...attributes,
        ...requestAttributes(request),
        ...(observer.captureContent && inputContent(request)),
      },
    },
    observer.parent,
  );
}

/** Messages in the conventions' JSON. Only recorded where the operator enabled it. */
function inputContent({ system, messages }: ModelRequest): Record<string, string> {
  return {
    ...(system && {
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system }]),
    }),
    'gen_ai.input.messages': JSON.stringify(messages.map(toMessage)),
  };
}

function outputContent(parts: readonly ModelPart[]): Record<string, string> {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = parts.filter((part) => part.type === 'tool-call');
  const message = { role: 'assistant', parts: [...textParts(text), ...calls.map(toCall)] };
  return { 'gen_ai.output.messages': JSON.stringify([message]) };
}

function toMessage(message: ModelMessage): object {
  if (message.role === 'tool') {
    const response = { type: 'tool_call_response', id: message.toolCallId, response: message.content };
    return { role: 'tool', parts: [response] };
  }
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return { role: message.role, parts: [...textParts(message.content), ...calls.map(toCall)] };
}

function textParts(text: string): object[] {
  return text ? [{ type: 'text', content: text }] : [];
}

/** Field by field: `providerState` must not be exported. */
function toCall(call: { id: string; name: string; arguments: object }): object {
  return { type: 'tool_call', id: call.id, name: call.name, arguments: call.arguments };
}
