import { diffWordsWithSpace } from 'diff';

export interface WordPart {
  text: string;
  isChanged: boolean;
}

const maxCharacters = 1_000;
const maxEdits = 120;
/** Lines with less in common than this share are different lines, not one that was changed. */
const minShare = 0.3;

/** What differs between a removed line and the line that replaces it; undefined if they have little in common. */
export function diffWords(
  removed: string,
  added: string,
): { removed: WordPart[]; added: WordPart[] } | undefined {
  if (removed.length > maxCharacters || added.length > maxCharacters) return undefined;
  const changes = diffWordsWithSpace(removed, added, { maxEditLength: maxEdits });
  if (!changes) return undefined;
  const same = changes.reduce(
    (sum, change) => sum + (change.added || change.removed ? 0 : change.value.trim().length),
    0,
  );
  if (same < minShare * Math.max(removed.trim().length, added.trim().length)) return undefined;
  return {
    removed: changes
      .filter((change) => !change.added)
      .map((change) => ({ text: change.value, isChanged: change.removed })),
    added: changes
      .filter((change) => !change.removed)
      .map((change) => ({ text: change.value, isChanged: change.added })),
  };
}
