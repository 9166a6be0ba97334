import { similarityScale } from './similarity-scale.ts';

export interface FusedHit {
  chunkId: string;
  score: number;
  /** 0 where the vectors did not find it, about 1 for a good answer. */
  vectorScore: number;
  /** 0 where the words did not find it, 1 when it has every word of the question. */
  keywordScore: number;
  /** The vectors had no say: its words are all that it was judged by. */
  byWordsOnly: boolean;
}

export interface Legs {
  /** Cosines. Undefined when there was no model to ask, or nothing that it could be asked about. */
  vector: readonly { chunkId: string; similarity: number }[] | undefined;
  keyword: readonly { chunkId: string; score: number; isEmbedded: boolean }[];
  model: string | undefined;
}

/** Tuned on the development half of the questions in bench/knowledge; see docs/decisions/0012-fusing-words-and-vectors.md. */
const vectorShare = 0.65;
/** So little of a question's words is there by chance in some passage or other. */
const chance = 0.2;
/** What the best passage must have of both scores together, or of words alone, to be worth showing anything. */
const floor = 0.56;
const floorOfWords = 0.3;
/** What scores less than this share of the best has come along by accident. */
const minShareOfBest = 0.4;

/**
 * Mixes both legs by what their scores mean, not by rank: a chance word is a low keyword score however few others there
 * are, where a rank would make it the first. What has no vectors yet is not far from the question, only unknown: its words
 * alone decide, as they do without a model. Best first.
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

/** Few shared words say little, many a lot: the square keeps names and numbers first, and chance last. */
function withoutChance(keywordScore: number): number {
  return (Math.max(0, keywordScore - chance) / (1 - chance)) ** 2;
}

/** What is worth showing of fused hits: nothing when none of them makes a case, rather than the least bad. */
export function aboveFloor(hits: readonly FusedHit[]): FusedHit[] {
  const makesACase = ({ vectorScore, keywordScore, byWordsOnly }: FusedHit) =>
    byWordsOnly ? keywordScore >= floorOfWords : vectorScore + keywordScore >= floor;
  const best = hits[0]?.score ?? 0;
  return hits.some(makesACase) ? hits.filter(({ score }) => score > 0 && score >= best * minShareOfBest) : [];
}
