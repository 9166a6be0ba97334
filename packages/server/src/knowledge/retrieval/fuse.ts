import { similarityScale } from './similarity-scale.ts';

export interface FusedHit {
  chunkId: string;
  score: number;
  /** Both between 0 and 1; 0 where a leg did not find it. */
  vectorScore: number;
  keywordScore: number;
}

export interface Legs {
  /** Cosines. Undefined when there are no vectors to ask. */
  vector: readonly { chunkId: string; similarity: number }[] | undefined;
  /** Shares of what is possible. */
  keyword: readonly { chunkId: string; score: number }[];
  model: string | undefined;
}

/** How much of the score is the vector's, and what is too little to be an answer. Tuned on the development questions. */
const fusion = { vectorShare: 0.6, floor: 0.2, keywordFloor: 0.1 };

/**
 * Mixes both legs by what their scores mean, not by rank: a chance word is a low keyword score however few others there
 * are, where a rank would make it the first. Best first; what neither leg makes a case for is left out.
 */
export function fuse({ vector, keyword, model }: Legs): FusedHit[] {
  const scale = similarityScale(model);
  const vectorScores = new Map(vector?.map(({ chunkId, similarity }) => [chunkId, scale(similarity)]));
  const keywordScores = new Map(keyword.map(({ chunkId, score }) => [chunkId, score]));
  const { vectorShare, floor, keywordFloor } = fusion;
  return [...new Set([...vectorScores.keys(), ...keywordScores.keys()])]
    .map((chunkId) => {
      const vectorScore = vectorScores.get(chunkId) ?? 0;
      const keywordScore = keywordScores.get(chunkId) ?? 0;
      const score = vector ? vectorShare * vectorScore + (1 - vectorShare) * keywordScore : keywordScore;
      return { chunkId, score, vectorScore, keywordScore };
    })
    .filter(({ score }) => score >= (vector ? floor : keywordFloor))
    .toSorted((one, other) => other.score - one.score);
}
