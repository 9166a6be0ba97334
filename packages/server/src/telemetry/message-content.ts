import type { ModelMessage, ModelPart, ModelRequest } from '../models/model.ts';

/** Messages in the conventions' JSON. Only recorded where the operator enabled it. */
export function inputContent({ system, messages }: ModelRequest): Record<string, string> {
  return {
    ...(system && {
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system }]),
    }),
    'gen_ai.input.messages': JSON.stringify(messages.map(toMessage)),
  };
}

export function outputContent(parts: readonly ModelPart[]): Record<string, string> {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = parts.filter((part) => part.type === 'tool-call');
  const message = { role: 'assistant', parts: [...textParts(text), ...calls.map(toCall)] };
  return { 'gen_ai.output.messages': JSON.stringify([message]) };
}

function toMessage(message: ModelMessage): object {
  if (message.role === 'tool') {
    const response = { type: 'tool_call_response', id: message.toolCallId, response: message.content };
    return { role: 'tool', parts: [response] };
  }
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return { role: message.role, parts: [...textParts(message.content), ...calls.map(toCall)] };
}

function textParts(text: string): object[] {
  return text ? [{ type: 'text', content: text }] : [];
}

/** Field by field: `providerState` must not be exported. */
function toCall(call: { id: string; name: string; arguments: object }): object {
  return { type: 'tool_call', id: call.id, name: call.name, arguments: call.arguments };
}
