import type { Model } from '../models/model.ts';

export const mostReadCharacters = 300_000;
/** Of the context window, for what is read: the rest is for instructions, drafts and their repairs. */
const share = 0.5;
/** Fewer than an English token has, so that other languages fit as well. */
const charactersPerToken = 2.5;

/** As much of a text as a model can read and still draft from. */
export function fitText(text: string, model: Model, parts = 1): { text: string; isCut: boolean } {
  const room = Math.min(mostReadCharacters, Math.floor(model.contextWindow * share * charactersPerToken));
  const most = Math.max(500, Math.floor(room / parts));
  return { text: text.slice(0, most).toWellFormed(), isCut: text.length > most };
}
