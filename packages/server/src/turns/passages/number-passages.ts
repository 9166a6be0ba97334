import type { Citation } from '@svc/contract/conversations';
import { describePassages } from '../../tools/service.ts';
import type { CallEnd } from '../calls/outcome.ts';
import { beginsTurn } from '../context.ts';
import type { TurnState } from '../state.ts';
import type { NumberedPassage } from './numbered-passage.ts';

/** Beyond all that are found before a reply: however many those are, a search's numbers stay what the model was told. */
const firstSearched = 11;

type Told = Pick<TurnState, 'messages' | 'passages'>;

/** Everything that the model can cite in this turn. */
export function citablePassages(state: Told): NumberedPassage[] {
  const found = (state.passages ?? []).map((passage, index) => ({ ...passage, number: index + 1 }));
  const searched = searchedPassages(state).map((passage, index) => ({
    ...passage,
    number: firstSearched + index,
  }));
  return [...found, ...searched];
}

/** A search's answer with numbers that nothing else in the turn has. */
export function withOwnNumbers(end: CallEnd, state: Told): CallEnd {
  if (!end.passages?.length) return end;
  const first = firstSearched + searchedPassages(state).length;
  return { ...end, content: describePassages(end.passages, first) };
}

/** The answer to a search keeps what it found. */
function searchedPassages({ messages }: Told): Citation[] {
  const begin = messages.findLastIndex(beginsTurn);
  return messages
    .slice(begin + 1)
    .filter(({ role }) => role === 'tool')
    .flatMap(({ citations }) => citations);
}
