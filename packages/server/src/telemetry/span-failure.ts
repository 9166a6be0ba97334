import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { AppError } from '../lib/app-error.ts';

/** Marks a span whose work threw. A stop from outside is not a failure: the span only records its reason. */
export function recordFailure(span: Span, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) {
    span.setAttribute('svc.ended_by', nameOf(signal.reason));
    return;
  }
  const root = rootOf(error);
  // Our own messages are safe to show; others may contain parts of the conversation.
  const message = root instanceof AppError ? { message: root.message } : {};
  span.setAttribute('error.type', root instanceof AppError ? root.code : nameOf(root));
  span.setStatus({ code: SpanStatusCode.ERROR, ...message });
}

/** The first `AppError` in the chain of causes, or else the innermost error. */
function rootOf(error: unknown): unknown {
  let current = error;
  while (!(current instanceof AppError) && current instanceof Error && current.cause instanceof Error) {
    current = current.cause;
  }
  return current;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER';
}
