export interface FusedHit {
  chunkId: string;
  score: number;
  /** 0 when vector search did not find it, about 1 for a good answer. */
  vectorScore: number;
  /** 0 when keyword search did not find it, 1 when it has every word of the question. */
  keywordScore: number;
  /** It has no vectors yet and was judged by its words alone. */
  byWordsOnly: boolean;
}

export interface Legs {
  /** Cosines. Undefined when there was no model, or nothing to search. */
  vector: readonly { chunkId: string; similarity: number }[] | undefined;
  keyword: readonly { chunkId: string; score: number; isEmbedded: boolean }[];
  model: string | undefined;
}

/** Tuned on the development half of the questions in bench/knowledge; see docs/decisions/0012-fusing-words-and-vectors.md. */
const vectorShare = 0.65;
/** Some passage or other has this share of a question's words by chance. */
const chance = 0.2;
/** What the best passage must reach, in both scores together or in keywords alone, for any result to be shown. */
const floor = 0.56;
const floorOfWords = 0.3;
/** A passage below this share of the best score is a chance hit. */
const minShareOfBest = 0.4;

/**
 * Combines both searches by what their scores mean, not by rank: a chance word has a low keyword score however few other hits
 * there are, whereas by rank it could be first. A passage without vectors yet is judged by its words alone, as without a
 * model. Best first.
 */
export function fuse({ vector, keyword, model }: Legs): FusedHit[] {
  const scale = similarityScale(model);
  const vectorScores = new Map(vector?.map(({ chunkId, similarity }) => [chunkId, scale(similarity)]));
  const keywordScores = new Map(keyword.map(({ chunkId, score }) => [chunkId, score]));
  const unembedded = new Set(keyword.flatMap(({ chunkId, isEmbedded }) => (isEmbedded ? [] : [chunkId])));
  return [...new Set([...vectorScores.keys(), ...keywordScores.keys()])]
    .map((chunkId) => {
      const vectorScore = vectorScores.get(chunkId) ?? 0;
      const keywordScore = keywordScores.get(chunkId) ?? 0;
      const words = withoutChance(keywordScore);
      const byWordsOnly = !vector?.length || (unembedded.has(chunkId) && !vectorScores.has(chunkId));
      const score = byWordsOnly ? keywordScore : vectorShare * vectorScore + (1 - vectorShare) * words;
      return { chunkId, score, vectorScore, keywordScore, byWordsOnly };
    })
    .toSorted((one, other) => other.score - one.score);
}

/** Few shared words mean little and many mean a lot: squaring keeps names and numbers first and chance hits last. */
function withoutChance(keywordScore: number): number {
  return (Math.max(0, keywordScore - chance) / (1 - chance)) ** 2;
}

/** The hits that are worth showing: none when no hit is good enough, rather than the least bad. */
export function aboveFloor(hits: readonly FusedHit[]): FusedHit[] {
  const makesACase = ({ vectorScore, keywordScore, byWordsOnly }: FusedHit) =>
    byWordsOnly ? keywordScore >= floorOfWords : vectorScore + keywordScore >= floor;
  const best = hits[0]?.score ?? 0;
  return hits.some(makesACase) ? hits.filter(({ score }) => score > 0 && score >= best * minShareOfBest) : [];
}

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
