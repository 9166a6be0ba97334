import { howToCite, type QuotedPassage, quotePassage } from '../../../models/passages.ts';
import { estimateTokens } from '../../../models/token-estimate.ts';
import { beginsTurn, type PlacedMessage } from '../../state.ts';

const introduction = `Passages from the knowledge base that may help with the message below. ${howToCite}`;

/**
 * The messages with passages before the one that they were looked for: there, and not among the instructions, so that what a
 * document says does not speak with the operator's voice, and what came before stays the same for the provider's cache.
 */
export function quotePassages(
  messages: PlacedMessage[],
  passages: readonly QuotedPassage[],
): PlacedMessage[] {
  const place = messages.findLastIndex(beginsTurn);
  const message = messages[place];
  if (passages.length === 0 || !message) return messages;
  const content = [introduction, ...passages.map(quotePassage), message.content].join('\n\n');
  return messages.with(place, { ...message, content });
}

/** The best ones, as many as there is room for. */
export function passagesThatFit(passages: readonly QuotedPassage[], mostTokens: number): QuotedPassage[] {
  let used = estimateTokens(introduction);
  return passages.filter((passage) => {
    used += estimateTokens(quotePassage(passage));
    return used <= mostTokens;
  });
}
