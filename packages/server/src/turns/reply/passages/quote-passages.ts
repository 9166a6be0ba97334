import { howToCite, type QuotedPassage, quotePassage } from '../../../models/passages.ts';
import { estimateTokens } from '../../../models/token-estimate.ts';
import { beginsTurn, type PlacedMessage } from '../../state.ts';

const introduction = `Passages from the knowledge base that may help with the message below. ${howToCite}`;

/**
 * Quotes passages before the message that they were searched for. They are not part of the instructions, so that a document has no
 * more authority than a user, and the provider's cache of everything before stays valid.
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

/** As many of the best as fit. */
export function passagesThatFit(passages: readonly QuotedPassage[], maxTokens: number): QuotedPassage[] {
  let used = estimateTokens(introduction);
  return passages.filter((passage) => {
    used += estimateTokens(quotePassage(passage));
    return used <= maxTokens;
  });
}
