import type {
  LanguageModelV4,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { FinishPart, FinishReason, ModelPart, ToolCallPart, Usage } from '../model.ts';
import { replyBroken } from '../model-error.ts';
import type { Connection } from '../providers/provider.ts';
import type { ReplyAttempt } from '../reply-attempt.ts';
import { estimateUsage } from '../token-estimate.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { callOptions, type ToolCallState } from './call-options.ts';
import { toModelError } from './to-model-error.ts';

/**
 * A model of the AI SDK, at its provider level: one request, one stream, no agent loop. The SDK is loaded with the
 * first reply, so that only services that use it pay for it.
 */
export function createAiSdkAttempt(
  load: () => Promise<LanguageModelV4>,
  { identity }: Pick<Connection, 'identity'>,
): ReplyAttempt {
  const id = `${identity.provider}/${identity.modelName}`;
  return async (request, onPart, watch) => {
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
  };
}

const drainWithinMs = 1_000;

/**
 * Reads what follows the last part, in the background: a stream that is read to its end gives its connection back to the
 * pool. The reply is complete, so later failures do not matter.
 */
function drain(reader: ReadableStreamDefaultReader<unknown>): void {
  const timer = setTimeout(() => {
    reader.cancel().catch(ignore);
  }, drainWithinMs).unref();
  readOn(reader)
    .catch(ignore)
    .finally(() => clearTimeout(timer));
}

async function readOn(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

function ignore(): void {}

type Reasoning = { text: string; metadata: SharedV4ProviderMetadata | undefined };

/** Converts the AI SDK's parts to ours. Reasoning stays out of the reply; its signatures are kept with the calls it led to. */
function createStreamReader(options: {
  modelId: string;
  onToken(bytes: number): void;
  estimate(output: { bytes: number }): Usage;
  onFailure(error: unknown): Error;
  onBroken(what: string): Error;
}): (part: LanguageModelV4StreamPart) => ModelPart | undefined {
  let outputBytes = 0;
  let reasoning: Reasoning[] = [];
  let hasCalls = false;

  function produced(piece: string): void {
    const bytes = Buffer.byteLength(piece);
    outputBytes += bytes;
    options.onToken(bytes);
  }

  function readReasoning(text: string, metadata: SharedV4ProviderMetadata | undefined): void {
    produced(text);
    const current = reasoning.at(-1);
    if (!current) return;
    current.text += text;
    current.metadata = metadata ?? current.metadata;
  }

  function takeToolCall(call: LanguageModelV4ToolCall): ToolCallPart {
    options.onToken(0);
    hasCalls = true;
    const signed = reasoning.flatMap(({ text, metadata }) => (metadata ? [{ text, metadata }] : []));
    reasoning = [];
    const data: ToolCallState = {
      reasoning: signed,
      ...(call.providerMetadata ? { metadata: call.providerMetadata } : {}),
    };
    return {
      type: 'tool-call',
      id: call.toolCallId,
      name: call.toolName,
      ...parseToolArguments(call.input),
      ...(signed.length > 0 || data.metadata ? { providerState: { model: options.modelId, data } } : {}),
    };
  }

  function takeFinish(part: Extract<LanguageModelV4StreamPart, { type: 'finish' }>): FinishPart {
    if (part.finishReason.unified === 'interrupted') throw options.onBroken('ended before it was finished');
    return {
      type: 'finish',
      reason: finishReason(part.finishReason.unified, hasCalls),
      usage: readUsage(part.usage) ?? options.estimate({ bytes: outputBytes }),
    };
  }

  return (part) => {
    if (part.type === 'text-delta') {
      produced(part.delta);
      return part.delta === '' ? undefined : { type: 'text', text: part.delta };
    }
    if (part.type === 'reasoning-start') reasoning.push({ text: '', metadata: part.providerMetadata });
    if (part.type === 'reasoning-delta') readReasoning(part.delta, part.providerMetadata);
    if (part.type === 'reasoning-end') readReasoning('', part.providerMetadata);
    if (part.type === 'tool-input-delta') produced(part.delta);
    if (part.type === 'tool-call') return takeToolCall(part);
    if (part.type === 'finish') return takeFinish(part);
    if (part.type === 'error') throw options.onFailure(part.error);
    return undefined;
  };
}

/** Compatible servers give various reasons for a reply that ends with calls. */
function finishReason(unified: string, hasCalls: boolean): FinishReason {
  if (unified === 'length' || unified === 'content-filter') return unified;
  if (hasCalls) return 'tool-calls';
  return unified === 'stop' ? 'stop' : 'other';
}

function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  return {
    inputTokens: inputTokens.total,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    outputTokens: outputTokens.total,
  };
}
