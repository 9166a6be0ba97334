import type { PlacedMessage } from '../../state.ts';

/** Who said what. Lines of a message are indented, so that nobody can begin one with somebody else's role. */
export function layOutTranscript(messages: readonly Pick<PlacedMessage, 'role' | 'content'>[]): string {
  return messages.map(({ role, content }) => `${role}: ${indent(content)}`).join('\n\n');
}

function indent(text: string): string {
  return text.replaceAll(/\r\n|[\n\r\u0085\u2028\u2029]/g, '\n  ');
}
