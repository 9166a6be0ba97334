import { estimateTokens } from './token-estimate.ts';

/** A text may be longer than a model can read: its beginning and its end say most. */
export function shorten(text: string, mostTokens: number): string {
  if (estimateTokens(text) <= mostTokens * 1.25) return text;
  // A character may be a whole token.
  const half = Math.floor(mostTokens / 2);
  return `${text.slice(0, half)}\n[…]\n${text.slice(-half)}`.toWellFormed();
}
