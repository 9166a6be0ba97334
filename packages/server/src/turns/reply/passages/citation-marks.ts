import type { Citation } from '@svc/contract/conversations';
import { type QuotedPassage, toCitation } from '../../../models/passages.ts';

export type CitationMarks = ReturnType<typeof createCitationMarks>;

/** `[k3]`, `[k1, k4]` */
const mark = /\[k\d{1,3}(?:, ?k\d{1,3}){0,9}\]/g;
/** Any beginning of one. */
const unfinished = /\[(?:k\d{1,3}, ?){0,9}(?:k\d{0,3})?$/;

/**
 * Replaces the model's marks by positions in the message's list of citations: [k3] becomes [1] if it is cited first. Marks of
 * unknown passages are removed, and all other text stays as it is.
 */
export function createCitationMarks(passages: readonly QuotedPassage[]) {
  const byNumber = new Map(passages.map((passage) => [passage.number, passage]));
  const cited: QuotedPassage[] = [];
  let held = '';

  function place(passage: QuotedPassage): number {
    const known = cited.indexOf(passage);
    return known === -1 ? cited.push(passage) : known + 1;
  }

  function translate(text: string): string {
    const numbers = text.match(/\d+/g)?.map(Number) ?? [];
    const places = numbers.flatMap((number) => byNumber.get(number) ?? []).map(place);
    return places.length > 0 ? `[${[...new Set(places)].join(', ')}]` : '';
  }

  return {
    /** Returns text with the marks as readers see them; a possible beginning of a mark is held back until it is complete. */
    push(text: string): string {
      if (byNumber.size === 0) return text;
      const whole = held + text;
      const start = whole.search(unfinished);
      held = start === -1 ? '' : whole.slice(start);
      return whole.slice(0, whole.length - held.length).replaceAll(mark, translate);
    },
    /** The text that is still held back. */
    flush(): string {
      const left = held;
      held = '';
      return left;
    },
    /** What was cited so far: the first is what readers see as [1]. */
    cited: (): Citation[] => cited.map(toCitation),
  };
}
