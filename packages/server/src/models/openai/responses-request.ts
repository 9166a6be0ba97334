import type { ModelMessage, ModelRequest } from '../model.ts';
import type { ModelImage } from '../model-image.ts';
import { isReasoningModel } from './model-family.ts';

/** The body of `POST /responses`. Nothing is stored at the provider: the conversation lives with us. */
export function responsesRequestBody(modelId: string, modelName: string, request: ModelRequest) {
  const reasoning = isReasoningModel(modelName);
  const { system, tools, temperature, maxOutputTokens, jsonMode } = request;
  return {
    model: modelName,
    input: request.messages.flatMap((message) => inputItems(modelId, message)),
    stream: true,
    store: false,
    ...(reasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(system ? { instructions: system } : {}),
    // Other servers may not know the choice `none`, and none of them needs the definitions to read earlier calls.
    ...(tools?.length && !request.toolsDisabled
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description,
            parameters,
            // The strict mode refuses most schemas that people write.
            strict: false,
          })),
          tool_choice: 'auto',
        }
      : {}),
    ...(temperature !== undefined && !reasoning ? { temperature } : {}),
    ...(maxOutputTokens !== undefined ? { max_output_tokens: maxOutputTokens } : {}),
    ...(jsonMode ? { text: { format: { type: 'json_object' } } } : {}),
  };
}

function inputItems(modelId: string, message: ModelMessage): unknown[] {
  if (message.role === 'user') return [{ role: 'user', content: withImages(message) }];
  if (message.role === 'tool') {
    const { toolCallId } = message;
    const output = withImages(message);
    return [{ type: 'function_call_output', call_id: toolCallId, output }];
  }
  const text = message.content === '' ? [] : [{ role: 'assistant', content: message.content }];
  const [first, ...others] = (message.toolCalls ?? []).map((call) => ({
    reasoning: call.providerState?.model === modelId ? reasoningItems(call.providerState.data) : [],
    item: {
      type: 'function_call',
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    },
  }));
  if (!first) return text;
  // The reasoning before the first call also came before the text.
  return [
    ...first.reasoning,
    ...text,
    first.item,
    ...others.flatMap((call) => [...call.reasoning, call.item]),
  ];
}

function withImages({ content, images }: { content: string; images?: readonly ModelImage[] }) {
  if (!images) return content;
  return [
    { type: 'input_text', text: content },
    ...images.map((image) => ({ type: 'input_image', image_url: image.dataUrl() })),
  ];
}

function reasoningItems(data: unknown): unknown[] {
  return Array.isArray(data) ? data : [];
}
