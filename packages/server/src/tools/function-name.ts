import { createHash } from 'node:crypto';

const maxCharacters = 64;
const suffixLength = 6;

/**
 * A name that every model provider accepts. Other characters are replaced, and then a few characters of a hash are added, so
 * that different names stay different and do not depend on each other.
 */
export function functionName(text: string): string {
  const plain = text.replaceAll(/[^\w-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  if (plain === text && text !== '' && text.length <= maxCharacters) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, suffixLength);
  const stem = plain.slice(0, maxCharacters - suffixLength - 1) || 'tool';
  return `${stem}_${hash}`;
}
