import type { Database } from '../../database/database.ts';
import { fetchingTerms, fullScore, inverseFrequency } from './bm25.ts';
import { type KeywordHit, type KeywordScope, keywordStore } from './keywords.store.ts';
import { termsOf } from './terms.ts';

/** A longer question is a document, whose first words say what it is about. */
const maxTerms = 64;
const maxFetched = 5_000;

/** The chunks whose words fit the question best, by BM25. Scores are between 0 and 1, which means that a chunk has every word. */
export async function searchKeywords(
  database: Database,
  scope: KeywordScope,
  question: string,
  limit: number,
): Promise<KeywordHit[]> {
  const { frequencies } = termsOf(scope.workspaceId, question);
  const asked = [...frequencies.keys()].slice(0, maxTerms);
  if (asked.length === 0) return [];
  const { chunkCount, averageLength, counts } = await keywordStore.countTerms(
    database.within(scope.workspaceId),
    scope.workspaceId,
    asked,
  );
  const terms = asked.map((term) => {
    const count = counts.get(term) ?? 0;
    return { term, count, weight: inverseFrequency(chunkCount, count) };
  });
  const fetching = fetchingTerms(terms, maxFetched);
  if (fetching.length === 0) return [];
  const hits = await keywordStore.search(database.acrossWorkspaces, scope, terms, {
    fetching,
    averageLength,
    limit,
  });
  // Words that no chunk has count as well: a half-understood question is at most half answered.
  const full = fullScore(terms);
  return hits.map((hit) => ({ ...hit, score: Math.min(1, hit.score / full) }));
}
