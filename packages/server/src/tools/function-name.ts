import { createHash } from 'node:crypto';

const maxCharacters = 64;
const suffixLength = 6;

/**
 * A name that every model provider takes. What does not fit is replaced, and then a few characters of a hash follow, so
 * that two names stay two, and each keeps its name whatever others there are.
 */
export function functionName(text: string): string {
  const plain = text.replaceAll(/[^\w-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  if (plain === text && text !== '' && text.length <= maxCharacters) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, suffixLength);
  const stem = plain.slice(0, maxCharacters - suffixLength - 1) || 'tool';
  return `${stem}_${hash}`;
}
