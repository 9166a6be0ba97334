import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createModel } from '../create-model.ts';
import type { Model, ModelRequest, OnPart } from '../model.ts';
import { type ModelIdentity, replyBroken } from '../model-error.ts';
import type { AttemptWatch } from '../provider.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { defaultTimeLimits } from '../time-limits.ts';
import { estimateUsage } from '../token-estimate.ts';
import { callOptions } from './call-options.ts';
import { drain } from './drain.ts';
import { createStreamReader } from './stream-reader.ts';
import { toModelError } from './to-model-error.ts';

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
    capabilities: { jsonMode: true, instructions: true },
    limits: { ...defaultTimeLimits, ...options.limits },
    retry: options.retry,
    attempt: (request, onPart, watch) => attemptReply({ load, identity, id }, request, onPart, watch),
  });
}

async function attemptReply(
  { load, identity, id }: { load: () => Promise<LanguageModelV4>; identity: ModelIdentity; id: string },
  request: ModelRequest,
  onPart: OnPart,
  watch: AttemptWatch,
): Promise<void> {
  const read = createStreamReader({
    modelId: id,
    onToken: (bytes) => watch.onToken(bytes),
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
      if (part) onPart(part);
      if (part?.type === 'finish') return;
    }
  } catch (error) {
    throw toModelError(identity, error);
  }
  throw replyBroken(identity, 'ended before it was finished');
}
