import type { KnownPassage, QuotedPassage } from '../../../models/passages.ts';
import { describePassages } from '../../../tools/tools.service.ts';
import { beginsTurn, type TurnState } from '../../state.ts';
import type { ToolCallEnd } from '../../tool-calls/tool-call-end.ts';

/** Above all numbers of passages that are found before a reply, so that the numbers of searched ones never change. */
const firstSearched = 11;

type Told = Pick<TurnState, 'messages'>;

/** Passages that were found before a reply. */
export function numberFound(passages: readonly KnownPassage[]): QuotedPassage[] {
  return passages.map((passage, index) => ({ ...passage, number: index + 1 }));
}

/** Passages that the model found by searching in this turn. */
export function numberSearched(state: Told): QuotedPassage[] {
  return searchedPassages(state).map((passage, index) => ({ ...passage, number: firstSearched + index }));
}

/** The result of a search with numbers that are unique in the turn. */
export function withOwnNumbers(end: ToolCallEnd, state: Told): ToolCallEnd {
  if (!end.passages?.length) return end;
  const first = firstSearched + searchedPassages(state).length;
  return { ...end, content: describePassages(end.passages, first) };
}

/** The message with a search's result keeps the passages. */
function searchedPassages({ messages }: Told): KnownPassage[] {
  const begin = messages.findLastIndex(beginsTurn);
  return messages
    .slice(begin + 1)
    .filter(({ role }) => role === 'tool')
    .flatMap(({ citations }) => citations.map((one) => ({ ...one, heading_path: one.heading_path ?? [] })));
}
