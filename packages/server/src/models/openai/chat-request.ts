import type { ModelMessage, ModelRequest } from '../model.ts';
import { isReasoningModel } from './model-family.ts';

/** The body of `POST /chat/completions`. */
export function chatRequestBody(modelName: string, request: ModelRequest): Record<string, unknown> {
  const reasoning = isReasoningModel(modelName);
  const { system, tools, temperature, maxOutputTokens, jsonMode } = request;
  return {
    model: modelName,
    messages: [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...request.messages.map(chatMessage),
    ],
    stream: true,
    stream_options: { include_usage: true },
    // Other servers may not know the choice `none`, and none of them needs the definitions to read earlier calls.
    ...(tools?.length && !request.toolsDisabled
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
          tool_choice: 'auto',
        }
      : {}),
    ...(temperature !== undefined && !reasoning ? { temperature } : {}),
    // Reasoning models refuse the old name; most compatible servers know only the old one.
    ...(maxOutputTokens !== undefined
      ? { [reasoning ? 'max_completion_tokens' : 'max_tokens']: maxOutputTokens }
      : {}),
    ...(jsonMode ? { response_format: { type: 'json_object' } } : {}),
  };
}

function chatMessage(message: ModelMessage): Record<string, unknown> {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role === 'user' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content };
  }
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    })),
  };
}
