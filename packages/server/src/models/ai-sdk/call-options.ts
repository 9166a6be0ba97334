import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest, ModelToolCall } from '../model.ts';
import type { ModelImage } from '../model-image.ts';

/** What a tool call's `providerState` holds for these providers. */
export interface ToolCallState {
  reasoning: readonly { text: string; metadata: SharedV4ProviderOptions }[];
  metadata?: SharedV4ProviderOptions;
}

/** Our request in the format of the AI SDK's provider level. */
export function callOptions(
  modelId: string,
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { system, tools, temperature, maxOutputTokens, jsonMode } = request;
  return {
    prompt: [
      ...(system ? [{ role: 'system' as const, content: system }] : []),
      ...joinUserMessages(request.messages.map((message) => promptMessage(modelId, message))),
    ],
    abortSignal,
    ...(tools?.length
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: parameters,
          })),
          toolChoice: { type: request.toolsDisabled ? ('none' as const) : ('auto' as const) },
        }
      : {}),
    ...(temperature !== undefined ? { temperature } : {}),
    ...(maxOutputTokens !== undefined ? { maxOutputTokens } : {}),
    ...(jsonMode ? { responseFormat: { type: 'json' as const } } : {}),
  };
}

/** Models of Google can refuse several messages of the user in a row, which a conversation has where people took over. */
function joinUserMessages(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const joined: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== 'user') joined.push(message);
    else if (last?.role === 'user') last.content.push(...message.content);
    else joined.push({ ...message, content: [...message.content] });
  }
  return joined;
}

function promptMessage(modelId: string, message: ModelMessage): LanguageModelV4Message {
  if (message.role === 'user')
    return { role: 'user', content: withImages(message.content, message.images ?? []) };
  if (message.role === 'assistant') {
    return {
      role: 'assistant',
      content: assistantContent(modelId, message.content, message.toolCalls ?? []),
    };
  }
  const { toolCallId, toolName, content, isError, images } = message;
  const text = { type: isError ? ('error-text' as const) : ('text' as const), value: content };
  // Content with images cannot be marked as an error.
  const output = images && !isError ? { type: 'content' as const, value: withImages(content, images) } : text;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
}

function withImages(text: string, images: readonly ModelImage[]) {
  return [
    { type: 'text' as const, text },
    ...images.map((image) => ({
      type: 'file' as const,
      data: { type: 'data' as const, data: image.base64() },
      mediaType: image.mediaType,
    })),
  ];
}

/** The reasoning before the first call also came before the text: providers check the order. */
function assistantContent(modelId: string, text: string, toolCalls: readonly ModelToolCall[]) {
  const textParts = text === '' ? [] : [{ type: 'text' as const, text }];
  const calls = toolCalls.map((call) => {
    const data = call.providerState?.model === modelId ? call.providerState.data : undefined;
    const state = isCallState(data) ? data : undefined;
    return { reasoning: reasoningParts(state), part: toolCallPart(call, state) };
  });
  const [first, ...others] = calls;
  if (!first) return textParts;
  return [
    ...first.reasoning,
    ...textParts,
    first.part,
    ...others.flatMap(({ reasoning, part }) => [...reasoning, part]),
  ];
}

function isCallState(data: unknown): data is ToolCallState {
  return typeof data === 'object' && data !== null && 'reasoning' in data && Array.isArray(data.reasoning);
}

function reasoningParts(state: ToolCallState | undefined): LanguageModelV4ReasoningPart[] {
  return (state?.reasoning ?? []).map(({ text, metadata }) => ({
    type: 'reasoning',
    text,
    providerOptions: metadata,
  }));
}

function toolCallPart(call: ModelToolCall, state: ToolCallState | undefined): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: call.arguments,
    ...(state?.metadata ? { providerOptions: state.metadata } : {}),
  };
}
