/** Joins two lines of a paragraph and rejoins a hyphenated word. */
export function joinLines(text: string, next: string): string {
  if (text === '') return next;
  if (/\p{Ll}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next;
  const isDense =
    /[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(text) && /^[\u3001-\u30ff\u3400-\u9fff]/.test(next);
  return isDense ? text + next : `${text} ${next}`;
}

export function endsSentence(text: string): boolean {
  return /[.!?:…。！？]["'”’)\]]?$/.test(text);
}
