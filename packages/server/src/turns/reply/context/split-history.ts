import type { Model } from '../../../models/model.ts';
import { beginsTurn, type PlacedMessage } from '../../state.ts';
import { messageTokens } from './fit-turn.ts';

/**
 * How much of a conversation goes into a request, in tokens. It is well below the context window of large models, so that the
 * hundredth turn costs what the tenth did; older turns are summarised.
 */
const maxHistoryTokens = 16_000;
const shareOfWindow = 0.5;
/** This much stays in full after folding, so that folding is rare. */
const shareKept = 0.5;

export function historyBudget(model: Pick<Model, 'contextWindow'>): number {
  return Math.min(maxHistoryTokens, Math.floor(model.contextWindow * shareOfWindow));
}

/**
 * Separates the bot's opening message from the others. It goes into the instructions, because several providers, and the chat
 * templates of many open models, refuse a conversation that does not begin with a user's message.
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
    // A person's message between two turns belongs to the later one.
    if (beginsTurn(message) || (message.role === 'operator' && cut === index + 1)) cut = index;
  }
  // A history without a user's message cannot be cut.
  if (cut === messages.length) cut = 0;
  return { folded: messages.slice(0, cut), kept: messages.slice(cut) };
}

/** The turns to summarise now; none while everything fits. Never more than fits into one request. */
export function turnsToFold(messages: readonly PlacedMessage[], budget: number): PlacedMessage[] {
  const { said } = withoutOpening(messages);
  const total = said.reduce((sum, message) => sum + messageTokens(message), 0);
  return total > budget ? firstTurns(splitHistory(said, budget * shareKept).folded, budget) : [];
}

/** As many whole turns from the beginning as fit, and at least one. */
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
