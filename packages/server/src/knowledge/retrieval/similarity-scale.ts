/** The cosine of texts that have nothing to do with each other, and that of a question and its answer. */
interface Range {
  unrelated: number;
  answer: number;
}

const known: readonly (Range & { model: RegExp })[] = [
  { model: /^builtin\/sentence-encoder$/, unrelated: 0.1, answer: 0.8 },
  { model: /^openai\/text-embedding-3/, unrelated: 0.1, answer: 0.75 },
  { model: /^openai\/text-embedding-ada/, unrelated: 0.7, answer: 0.92 },
  { model: /^google\/gemini-embedding/, unrelated: 0.45, answer: 0.85 },
];
const unknown: Range = { unrelated: 0.2, answer: 0.85 };

/** Models differ in what a cosine means: from it a number between 0 (unrelated) and 1 (says it plainly). */
export function similarityScale(model: string | undefined): (similarity: number) => number {
  const { unrelated, answer } = known.find((one) => model !== undefined && one.model.test(model)) ?? unknown;
  return (similarity) => Math.min(1, Math.max(0, (similarity - unrelated) / (answer - unrelated)));
}
