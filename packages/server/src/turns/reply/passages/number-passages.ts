import type { KnownPassage, QuotedPassage } from '../../../models/passages.ts';
import { describePassages } from '../../../tools/service.ts';
import type { CallEnd } from '../../calls/call-end.ts';
import { beginsTurn, type TurnState } from '../../state.ts';

/** Beyond all that are found before a reply: however many those are, a search's numbers stay what the model was told. */
const firstSearched = 11;

type Told = Pick<TurnState, 'messages'>;

/** What was found before a reply. */
export function numberFound(passages: readonly KnownPassage[]): QuotedPassage[] {
  return passages.map((passage, index) => ({ ...passage, number: index + 1 }));
}

/** What the model found by searching in this turn. */
export function numberSearched(state: Told): QuotedPassage[] {
  return searchedPassages(state).map((passage, index) => ({ ...passage, number: firstSearched + index }));
}

/** A search's answer with numbers that nothing else in the turn has. */
export function withOwnNumbers(end: CallEnd, state: Told): CallEnd {
  if (!end.passages?.length) return end;
  const first = firstSearched + searchedPassages(state).length;
  return { ...end, content: describePassages(end.passages, first) };
}

/** The answer to a search keeps what it found. */
function searchedPassages({ messages }: Told): KnownPassage[] {
  const begin = messages.findLastIndex(beginsTurn);
  return messages
    .slice(begin + 1)
    .filter(({ role }) => role === 'tool')
    .flatMap(({ citations }) => citations.map((one) => ({ ...one, heading_path: one.heading_path ?? [] })));
}
