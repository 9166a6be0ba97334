import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import { createModel } from '../create-model.ts';
import type { Model, ModelPart, ModelRequest } from '../model.ts';
import { connectionFailed, type ModelIdentity, providerRefused, replyBroken } from '../model-error.ts';
import type { AttemptWatch } from '../provider.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { defaultTimeLimits } from '../time-limits.ts';
import { estimateUsage } from '../token-estimate.ts';
import { callOptions } from './call-options.ts';
import { drain } from './drain.ts';
import { createStreamReader } from './stream-reader.ts';

/**
 * A model of the AI SDK, at its provider level: one request, one stream, no loop of its own. It is loaded when it is
 * first asked something, so that who uses none pays for none.
 */
export function createAiSdkModel(
  load: () => Promise<LanguageModelV4>,
  identity: ModelIdentity,
  options: ProviderOptions,
): Model {
  const id = `${identity.provider}/${identity.modelName}`;
  return createModel({
    id,
    window: options.windowOf(id),
    limits: { ...defaultTimeLimits, ...options.limits },
    retry: options.retry,
    attempt: (request, watch) => attemptReply({ load, identity, id }, request, watch),
  });
}

async function* attemptReply(
  { load, identity, id }: { load: () => Promise<LanguageModelV4>; identity: ModelIdentity; id: string },
  request: ModelRequest,
  watch: AttemptWatch,
): AsyncGenerator<ModelPart, void, undefined> {
  const read = createStreamReader({
    modelId: id,
    onToken: () => watch.onToken(),
    estimate: (output) => estimateUsage(request, output),
    onFailure: (error) => toModelError(identity, error),
    onBroken: (what) => replyBroken(identity, what),
  });
  try {
    const source = await load();
    const { stream } = await source.doStream(callOptions(id, request, watch.signal));
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const part = read(next.value);
      if (part?.type === 'finish') drain(reader);
      if (part) yield part;
      if (part?.type === 'finish') return;
    }
  } catch (error) {
    throw toModelError(identity, error);
  }
  throw replyBroken(identity, 'ended before it was finished');
}

/**
 * The SDK's errors hold the whole request and the provider's answer. Only the status and the redacted answer go on. One
 * that has neither means that the connection failed, or that the stream was no stream.
 */
function toModelError(identity: ModelIdentity, error: unknown): Error {
  if (!isProviderAnswer(error)) return connectionFailed(identity, error);
  const { statusCode, responseBody, responseHeaders, data } = error;
  return providerRefused(identity, {
    // A 2xx is the SDK's complaint about an answer that it could not read.
    status: statusCode !== undefined && statusCode < 300 ? undefined : statusCode,
    body: responseBody ?? JSON.stringify(data ?? {}),
    headers: responseHeaders,
  });
}

/** An `APICallError` with an answer, or the plain object that stands for an error inside a stream. */
interface ProviderAnswer {
  statusCode?: number;
  responseBody?: string;
  responseHeaders?: Record<string, string>;
  data?: unknown;
}

function isProviderAnswer(error: unknown): error is ProviderAnswer {
  if (APICallError.isInstance(error)) return error.statusCode !== undefined;
  return typeof error === 'object' && error !== null && !(error instanceof Error) && 'data' in error;
}
