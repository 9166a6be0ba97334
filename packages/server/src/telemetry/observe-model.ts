import { type Context, type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Model, ModelPart, ModelRequest, OnPart } from '../models/model.ts';
import { isLocalModel } from '../models/providers/providers.ts';
import { finishAttributes, modelAttributes, requestAttributes } from './conventions.ts';
import { inputContent, outputContent } from './message-content.ts';
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
    reply: (request, onPart, signal) => observeReply({ model, request, onPart, signal }, observer),
  };
}

interface ObservedReply {
  model: Model;
  request: ModelRequest;
  onPart: OnPart;
  signal: AbortSignal;
}

async function observeReply(
  { model, request, onPart, signal }: ObservedReply,
  observer: ModelObserver,
): Promise<void> {
  const span = startSpan(model, request, observer);
  const startedAt = performance.now();
  const parts: ModelPart[] = [];
  let isFirst = true;
  try {
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
    await model.reply(request, observe, signal);
  } catch (error) {
    recordFailure(span, error, signal);
    throw error;
  } finally {
    if (observer.captureContent) span.setAttributes(outputContent(parts));
    span.end();
  }
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
