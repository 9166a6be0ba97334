import type { Citation } from '@svc/contract/conversations';
import { type QuotedPassage, toCitation } from '../../../models/passages.ts';
import { repeats } from './word-runs.ts';

/** What a reply uses: the passages that it cites or, if it cites none, those that it repeats word for word. */
export function citationsOf(
  text: string,
  cited: readonly Citation[],
  passages: readonly QuotedPassage[],
): Citation[] {
  if (cited.length > 0) return [...cited];
  return passages.filter(({ quote }) => repeats(text, quote)).map(toCitation);
}
