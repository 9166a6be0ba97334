import type { PlacedMessage } from '../../state.ts';

/** Roles and texts, without empty ones. The lines of a message are indented, so that none can begin with a role. */
export function layOutTranscript(
  messages: readonly Pick<PlacedMessage, 'attached' | 'role' | 'content'>[],
): string {
  return messages
    .filter(({ content }) => content !== '')
    .map(
      ({ role, content, attached }) => `${role}: ${indent(attached ? `${content}\n${attached}` : content)}`,
    )
    .join('\n\n');
}

function indent(text: string): string {
  return text.replaceAll(/\r\n|[\n\r\u0085\u2028\u2029]/g, '\n  ');
}
