import type { Model } from '../../../models/model.ts';
import { beginsTurn, type PlacedMessage } from '../../state.ts';
import { messageTokens } from './fit-turn.ts';

/**
 * How much of a conversation goes into a request, in tokens. It is bounded well below what large models can read, so
 * that the hundredth turn costs what the tenth did; what falls out is kept as a summary.
 */
const mostHistoryTokens = 16_000;
const shareOfWindow = 0.5;
/** After folding this much stays word for word, so that folding is rare. */
const shareKept = 0.5;

export function historyBudget(model: Pick<Model, 'contextWindow'>): number {
  return Math.min(mostHistoryTokens, Math.floor(model.contextWindow * shareOfWindow));
}

/**
 * What the bot said before anybody else, apart from the rest. A model is told of it among its instructions: several
 * providers, and the chat templates of many open models, refuse a conversation that does not begin with a user's message.
 */
export function withoutOpening(messages: readonly PlacedMessage[]): {
  opening: string | undefined;
  said: readonly PlacedMessage[];
} {
  const [first, ...said] = messages;
  const isOpening = first?.role === 'assistant' && first.toolCalls.length === 0;
  return isOpening ? { opening: first.content, said } : { opening: undefined, said: messages };
}

export interface SplitHistory {
  /** Whole turns, oldest first, that no longer fit. */
  folded: PlacedMessage[];
  /** The rest; the latest turn is always in it. */
  kept: PlacedMessage[];
}

/** Cuts between turns, never inside one. */
export function splitHistory(messages: readonly PlacedMessage[], budget: number): SplitHistory {
  let used = 0;
  let cut = messages.length;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as PlacedMessage;
    used += messageTokens(message);
    if (used > budget && cut < messages.length) break;
    // What a person wrote between two turns is worth more to the later one than the end of the earlier.
    if (beginsTurn(message) || (message.role === 'operator' && cut === index + 1)) cut = index;
  }
  // A history that does not begin with a user's message has no place to cut before its first one.
  if (cut === messages.length) cut = 0;
  return { folded: messages.slice(0, cut), kept: messages.slice(cut) };
}

/** The turns that a summary should take in now, or none while everything still fits. Never more than fits a request. */
export function turnsToFold(messages: readonly PlacedMessage[], budget: number): PlacedMessage[] {
  const { said } = withoutOpening(messages);
  const total = said.reduce((sum, message) => sum + messageTokens(message), 0);
  return total > budget ? firstTurns(splitHistory(said, budget * shareKept).folded, budget) : [];
}

/** Whole turns from the beginning, as many as fit; one at least, however long. */
function firstTurns(messages: PlacedMessage[], budget: number): PlacedMessage[] {
  let used = 0;
  let cut = 0;
  for (const [index, message] of messages.entries()) {
    if (beginsTurn(message) && index > 0) {
      if (used > budget) return messages.slice(0, cut || index);
      cut = index;
    }
    used += messageTokens(message);
  }
  return used > budget && cut > 0 ? messages.slice(0, cut) : messages;
}
