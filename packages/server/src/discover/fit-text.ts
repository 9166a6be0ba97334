import type { Model } from '../models/model.ts';

export const maxReadCharacters = 300_000;
/** Of the context window, for the text; the rest is for instructions, drafts and their repairs. */
const share = 0.5;
/** English has more, but other languages have to fit as well. */
const charactersPerToken = 2.5;

/** Cuts a text so that the model has room left for the draft. */
export function fitText(text: string, model: Model, parts = 1): { text: string; isCut: boolean } {
  const room = Math.min(maxReadCharacters, Math.floor(model.contextWindow * share * charactersPerToken));
  const most = Math.max(500, Math.floor(room / parts));
  return { text: text.slice(0, most).toWellFormed(), isCut: text.length > most };
}
