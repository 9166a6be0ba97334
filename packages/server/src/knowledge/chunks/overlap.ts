import { cutSentences } from './cut-text.ts';

const longest = 200;
const fewWords = 120;

/** The end of a text that the next chunk begins with: its last sentence, or the last words of a long one. */
export function overlapOf(text: string): string {
  const tail = text.trimEnd().slice(-longest);
  const sentences = cutSentences(tail);
  if (sentences.length > 1) return (sentences.at(-1) ?? '').trim();
  const words = tail.slice(-fewWords);
  const space = words.search(/\s\S/);
  return space === -1 ? '' : words.slice(space).trim();
}
