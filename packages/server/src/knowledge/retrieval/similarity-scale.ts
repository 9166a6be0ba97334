/** The cosine of unrelated texts, and that of a question and a passage that answers it well. */
interface Range {
  unrelated: number;
  answer: number;
}

/** Those of the built-in model were measured with `npm run bench -- knowledge`; the others are lenient estimates. */
const known: readonly (Range & { model: RegExp })[] = [
  { model: /^builtin\/sentence-encoder$/, unrelated: 0.1, answer: 0.6 },
  { model: /^openai\/text-embedding-3/, unrelated: 0.05, answer: 0.45 },
  { model: /^openai\/text-embedding-ada/, unrelated: 0.68, answer: 0.82 },
  { model: /^google\/gemini-embedding/, unrelated: 0.4, answer: 0.62 },
];
const unknown: Range = { unrelated: 0.1, answer: 0.5 };

/** Models differ in what a cosine means. This maps it to 0 for unrelated and 1 for a good answer, or more for a better one. */
export function similarityScale(model: string | undefined): (similarity: number) => number {
  const { unrelated, answer } = known.find((one) => model !== undefined && one.model.test(model)) ?? unknown;
  return (similarity) => Math.max(0, (similarity - unrelated) / (answer - unrelated));
}
