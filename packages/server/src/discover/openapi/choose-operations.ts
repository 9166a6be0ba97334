import { maxDraftedTools } from '@svc/contract/discover';
import { clip } from '../../validation/clip.ts';
import { listOf, textOf } from './document.ts';
import { addressOf, findOperations, type ListedOperation } from './list-operations.ts';

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

interface RankedOperation {
  listed: ListedOperation;
  score: number;
}

/** The weight of a goal's word, by where the operation contains it. */
const weights = { title: 1, path: 0.8, opening: 0.7, tags: 0.5, description: 0.25 };
/** For a method that matches the goal's verb, in multiples of the average rarity. */
const methodWeight = 0.5;
/** For an operation of another method than the goal's first word asks for. */
const otherMethodShare = 0.5;
const maxDescriptionLength = 1_500;
/** Of the first sentence of a description. */
const maxOpeningLength = 200;
const maxGoalWords = 50;

const stopWords = new Set(
  'a an and any are as at be by can for from has have i if in into is it its like me my need of on or our please should so some that the their them then they this to tool tools us use user users want we when which who will with would you your'.split(
    ' ',
  ),
);
/** Verbs that people use for what the methods do. */
const verbs: Record<string, readonly string[]> = {
  GET: ['get', 'list', 'read', 'find', 'show', 'look', 'search', 'fetch', 'see', 'view', 'check'],
  POST: ['create', 'add', 'open', 'make', 'new', 'post', 'submit', 'send', 'start', 'file', 'write'],
  PUT: ['set', 'replace', 'put', 'update', 'change', 'write'],
  PATCH: ['update', 'change', 'edit', 'modify', 'patch', 'rename', 'close'],
  DELETE: ['delete', 'remove', 'cancel', 'drop', 'erase'],
};

/**
 * The operations that share words with the goal, best first. Rare words count for more. Of two operations with the same
 * words, the one whose title has fewer others comes first, because goals are phrased like titles.
 */
function rankOperations(operations: readonly ListedOperation[], goal: string): RankedOperation[] {
  const wanted = new Set(wordsOf(goal).slice(0, maxGoalWords));
  const [verb = ''] = wanted;
  const methods = Object.keys(verbs).filter((method) => stemsOf(verbs[method] ?? []).has(verb));
  const read = operations.map((listed) => ({ listed, ...wordsByPart(listed) }));
  const rarity = new Map<string, number>();
  for (const word of wanted) {
    const having = read.filter(({ title, path }) => title.has(word) || path.has(word)).length;
    rarity.set(word, Math.log(1 + (read.length - having + 0.5) / (having + 0.5)));
  }
  const usual = [...rarity.values()].reduce((sum, one) => sum + one, 0) / Math.max(1, rarity.size);
  return read
    .map(({ listed, ...parts }) => {
      const doing = stemsOf(verbs[listed.method] ?? []);
      let score = 0;
      const isVerbOfTitle = firstOf(parts.title) === verb;
      // A verb for a method says nothing by standing somewhere: "read" is also a permission.
      for (const [word, rare] of rarity)
        if (word !== verb || methods.length === 0 || isVerbOfTitle) score += rare * weightOf(word, parts);
      if (score === 0) return { listed, score };
      if ([...wanted].some((word) => doing.has(word))) score += usual * methodWeight;
      const isOther = methods.length > 0 && !methods.includes(listed.method) && !isVerbOfTitle;
      if (isOther) score *= otherMethodShare;
      const shared = [...parts.title].filter((word) => wanted.has(word) || isSynonym(word, doing, wanted));
      return { listed, score: score * (0.5 + shared.length / (2 * Math.max(1, parts.title.size))) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score);
}

type WordsByPart = Record<keyof typeof weights, ReadonlySet<string>>;

function wordsByPart({ path, operation }: ListedOperation): WordsByPart {
  const id = textOf(operation['operationId']);
  const description = textOf(operation['description']).slice(0, maxDescriptionLength);
  return {
    // Without a title, the operation's id serves as one.
    title: new Set(wordsOf(textOf(operation['summary']) || id)),
    path: new Set(wordsOf(`${path} ${id}`)),
    tags: new Set(wordsOf(listOf(operation['tags']).slice(0, 20).map(textOf).join(' '))),
    opening: new Set(wordsOf(description.slice(0, maxOpeningLength).split(/[.\n]/, 1)[0] ?? '')),
    description: new Set(wordsOf(description)),
  };
}

const firstOf = ([first]: ReadonlySet<string>): string | undefined => first;

function weightOf(word: string, parts: WordsByPart): number {
  const found = Object.entries(weights).filter(([part]) => parts[part as keyof WordsByPart].has(word));
  return Math.max(0, ...found.map(([, weight]) => weight));
}

/** The title uses another verb for the same method: to open an issue is to create one. */
function isSynonym(word: string, doing: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  return doing.has(word) && [...wanted].some((other) => doing.has(other));
}

function stemsOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(stem));
}

/** In lower case, without endings; `listPets` is two words. */
function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return (apart.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !stopWords.has(word)).map(stem);
}

/** Crude, but goals and operations are treated alike. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && /(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}
