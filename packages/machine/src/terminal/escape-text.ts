/**
 * Control characters, characters that reorder or hide text, and halves of surrogate pairs: text from elsewhere must not
 * move the cursor, fake a line or show something other than what it says.
 */
const deceptive = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** Text from elsewhere as one harmless line of at most this many characters. */
export function escapeText(text: string, maxCharacters = 200): string {
  // Clipped first, so that a huge text costs no more than a short one.
  const clipped = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  return clipped.replace(deceptive, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
