import { similarityScale } from './similarity-scale.ts';

export interface FusedHit {
  chunkId: string;
  score: number;
  /** 0 where the vectors did not find it, about 1 for a good answer. */
  vectorScore: number;
  /** 0 where the words did not find it, 1 when it has every word of the question. */
  keywordScore: number;
}

export interface Legs {
  /** Cosines. Undefined when there was no model to ask. */
  vector: readonly { chunkId: string; similarity: number }[] | undefined;
  keyword: readonly { chunkId: string; score: number }[];
  model: string | undefined;
}

/** Tuned on the development half of the questions in bench/knowledge; see docs/decisions. */
const vectorShare = 0.65;
/** So little of a question's words is there by chance in some passage or other. */
const chance = 0.2;
/** What the best passage must have of both scores together, or of words alone, to be worth showing anything. */
const floor = 0.56;
const floorOfWords = 0.3;
/** What scores less than this share of the best has come along by accident. */
const leastOfBest = 0.4;

/**
 * Mixes both legs by what their scores mean, not by rank: a chance word is a low keyword score however few others there
 * are, where a rank would make it the first. Best first.
 */
export function fuse({ vector, keyword, model }: Legs): FusedHit[] {
  const scale = similarityScale(model);
  const vectorScores = new Map(vector?.map(({ chunkId, similarity }) => [chunkId, scale(similarity)]));
  const keywordScores = new Map(keyword.map(({ chunkId, score }) => [chunkId, score]));
  return [...new Set([...vectorScores.keys(), ...keywordScores.keys()])]
    .map((chunkId) => {
      const vectorScore = vectorScores.get(chunkId) ?? 0;
      const keywordScore = keywordScores.get(chunkId) ?? 0;
      const words = withoutChance(keywordScore);
      const score = vector ? vectorShare * vectorScore + (1 - vectorShare) * words : keywordScore;
      return { chunkId, score, vectorScore, keywordScore };
    })
    .toSorted((one, other) => other.score - one.score);
}

/** Few shared words say little, many a lot: the square keeps names and numbers first, and chance last. */
function withoutChance(keywordScore: number): number {
  return (Math.max(0, keywordScore - chance) / (1 - chance)) ** 2;
}

/** What is worth showing of fused hits: nothing when none of them makes a case, rather than the least bad. */
export function aboveFloor(hits: readonly FusedHit[], hasVectors: boolean): FusedHit[] {
  const makesACase = ({ vectorScore, keywordScore }: FusedHit) =>
    hasVectors ? vectorScore + keywordScore >= floor : keywordScore >= floorOfWords;
  const best = hits[0]?.score ?? 0;
  return hits.some(makesACase) ? hits.filter(({ score }) => score > 0 && score >= best * leastOfBest) : [];
}
