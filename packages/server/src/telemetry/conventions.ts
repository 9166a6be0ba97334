import type { FinishPart, FinishReason, Model, ModelRequest } from '../models/model.ts';
import { findProvider } from '../models/providers/providers.ts';

/** Names from the GenAI conventions of OpenTelemetry, which dashboards look for. */

const finishReasons: Record<FinishReason, string> = {
  stop: 'stop',
  'tool-calls': 'tool_call',
  length: 'length',
  'content-filter': 'content_filter',
  other: 'other',
};

export function modelAttributes({ id }: Pick<Model, 'id'>) {
  const slash = id.indexOf('/');
  const provider = id.slice(0, slash);
  return {
    'gen_ai.provider.name': findProvider(provider)?.telemetryName ?? provider,
    'gen_ai.request.model': id.slice(slash + 1),
  };
}

export function requestAttributes({ temperature, maxOutputTokens }: ModelRequest) {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.stream': true,
    ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    ...(maxOutputTokens !== undefined && { 'gen_ai.request.max_tokens': maxOutputTokens }),
  };
}

export function finishAttributes({ reason, usage }: FinishPart) {
  return {
    'gen_ai.response.finish_reasons': [finishReasons[reason]],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
  };
}
