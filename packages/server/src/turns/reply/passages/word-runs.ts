/** So many words in the same order are no chance. */
const leastRun = 8;

/** Whether a text repeats a passage: a run of its words, whatever stands between them. */
export function repeats(text: string, passage: string): boolean {
  const runs = new Set(runsOf(passage));
  return runsOf(text).some((run) => runs.has(run));
}

function runsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .slice(0, Math.max(0, words.length - leastRun + 1))
    .map((_word, start) => words.slice(start, start + leastRun).join(' '));
}
