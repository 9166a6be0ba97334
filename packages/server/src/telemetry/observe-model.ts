import { type Context, type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Model, ModelPart, ModelRequest } from '../models/model.ts';
import { finishAttributes, modelAttributes, requestAttributes } from './conventions.ts';
import { recordFailure } from './failure.ts';
import { inputContent, outputContent } from './message-content.ts';

export interface ModelObserver {
  tracer: Tracer;
  parent: Context;
  captureContent: boolean;
}

/** The same model; each reply is a span, from the first pull to the end, retries included. */
export function observeModel(model: Model, observer: ModelObserver): Model {
  return { ...model, stream: (request, signal) => observeReply(model, request, signal, observer) };
}

async function* observeReply(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  observer: ModelObserver,
): AsyncGenerator<ModelPart, void, undefined> {
  const span = startSpan(model, request, observer);
  const startedAt = performance.now();
  const parts: ModelPart[] = [];
  let isFirst = true;
  try {
    for await (const part of model.stream(request, signal)) {
      if (isFirst) {
        const seconds = (performance.now() - startedAt) / 1_000;
        span.setAttribute('gen_ai.response.time_to_first_chunk', seconds);
        isFirst = false;
      }
      if (part.type === 'finish') span.setAttributes(finishAttributes(part));
      if (observer.captureContent) parts.push(part);
      yield part;
    }
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
  const isOurs = model.id.startsWith('builtin/');
  return observer.tracer.startSpan(
    `chat ${attributes['gen_ai.request.model']}`,
    {
      kind: isOurs ? SpanKind.INTERNAL : SpanKind.CLIENT,
      attributes: {
        ...attributes,
        ...requestAttributes(request),
        ...(observer.captureContent && inputContent(request)),
      },
    },
    observer.parent,
  );
}
