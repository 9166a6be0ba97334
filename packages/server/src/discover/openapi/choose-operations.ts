import { maxDraftedTools } from '@svc/contract/discover';
import { clip } from '../../validation/clip.ts';
import { addressOf, findOperations, type ListedOperation } from './list-operations.ts';
import { rankOperations } from './rank-operations.ts';

export interface ChosenOperations {
  /** Best first. */
  chosen: ListedOperation[];
  note?: string;
  /** Nothing was chosen, so the caller has to choose from the full list. */
  isOpen: boolean;
}

/** Operations with a smaller share of the best score are about something else. */
const minShare = 0.4;
const shown = { operations: 20, characters: 200 };

/** Which operations become tools: those named, those that match the goal, or all if there are few. */
export function chooseOperations(
  all: ListedOperation[],
  { goal, named }: { goal: string | undefined; named: readonly string[] | undefined },
): ChosenOperations {
  if (named) return chooseNamed(all, named);
  const ranked = goal === undefined ? [] : rankOperations(all, goal);
  const isFew = all.length <= maxDraftedTools;
  if (isFew) {
    const matching = ranked.map(({ listed }) => listed);
    return { chosen: [...matching, ...all.filter((one) => !matching.includes(one))], isOpen: false };
  }
  const [best] = ranked;
  if (!best) {
    const why = goal === undefined ? '' : ' None of them shares a word with the goal.';
    const note = `The document has ${all.length} operations, of which at most ${maxDraftedTools} are drafted at once.${why} Send a goal, or name those that you need in operations.`;
    return { chosen: [], note, isOpen: true };
  }
  const near = ranked.filter(({ score }) => score >= best.score * minShare);
  const chosen = near.slice(0, maxDraftedTools).map(({ listed }) => listed);
  const next = ranked.slice(chosen.length, chosen.length + shown.operations);
  const examples = next.map(({ listed }) => clip(addressOf(listed), shown.characters)).join(', ');
  const note = `The goal chose ${chosen.length} of ${all.length} operations by their words; name others in operations.${examples && ` The next would be: ${examples}.`}`;
  return { chosen, note, isOpen: false };
}

function chooseNamed(all: ListedOperation[], names: readonly string[]): ChosenOperations {
  const { found, unknown } = findOperations(all, names);
  if (unknown.length === 0) return { chosen: found, isOpen: false };
  const missing = unknown.map((name) => clip(name, shown.characters)).join(', ');
  const note = `The document has no operation of this id or address: ${missing}.`;
  return { chosen: found, note, isOpen: found.length === 0 };
}
