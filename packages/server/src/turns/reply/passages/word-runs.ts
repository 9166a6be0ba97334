/** This many words in the same order are not a coincidence. */
const minRunLength = 8;

/** Whether a text repeats a run of a passage's words, whatever the punctuation. */
export function repeats(text: string, passage: string): boolean {
  const runs = new Set(runsOf(passage));
  return runsOf(text).some((run) => runs.has(run));
}

function runsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .slice(0, Math.max(0, words.length - minRunLength + 1))
    .map((_word, start) => words.slice(start, start + minRunLength).join(' '));
}
