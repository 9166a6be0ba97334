import { estimateTokens } from './token-estimate.ts';

/** Cuts the middle of a text that is longer than a model can read: the beginning and the end matter most. */
export function shorten(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens * 1.25) return text;
  // A character may be a whole token.
  const half = Math.floor(maxTokens / 2);
  return `${text.slice(0, half)}\n[…]\n${text.slice(-half)}`.toWellFormed();
}
