import type { ModelMessage, ModelRequest } from '../models/model.ts';
import { shorten } from '../models/shorten.ts';

/** The instructions and the conversation of a request as text for a judging model. */
export function layOutRequest({ system, messages }: ModelRequest, maxTokens: number): string {
  const conversation = messages.map(layOutMessage).join('\n\n');
  return [
    `<instructions>\n${shorten(system ?? '', Math.floor(maxTokens / 4))}\n</instructions>`,
    `<conversation>\n${shorten(conversation, maxTokens - Math.floor(maxTokens / 4))}\n</conversation>`,
  ].join('\n\n');
}

function layOutMessage(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return `User: ${message.content}`;
    case 'tool':
      return `Result of ${message.toolName}: ${message.content}`;
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(
        ({ name, arguments: given }) => `[calls ${name} with ${JSON.stringify(given)}]`,
      );
      return ['Assistant:', message.content, ...calls].filter(Boolean).join(' ');
    }
  }
}
