import type { Citation } from '@svc/contract/conversations';
import { type QuotedPassage, toCitation } from '../../../models/passages.ts';

export interface CitationMarks {
  /** Passes text on with the marks as readers see them; what may become a mark is held back until it is whole. */
  push(text: string): string;
  rest(): string;
  /** What was cited so far: the first is what readers see as [1]. */
  cited(): Citation[];
}

/** `[k3]`, `[k1, k4]` */
const mark = /\[k\d{1,3}(?:, ?k\d{1,3}){0,9}\]/g;
/** Every beginning of one. */
const unfinished = /\[(?:k\d{1,3}, ?){0,9}(?:k\d{0,3})?$/;

/**
 * Turns the marks that the model was told to write into places in the message's list of citations: [k3] becomes [1] when
 * it is the first that it cites. A mark of a passage that nobody gave it is taken out, and all other text stays as it is.
 */
export function createCitationMarks(passages: readonly QuotedPassage[]): CitationMarks {
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
    push(text) {
      if (byNumber.size === 0) return text;
      const whole = held + text;
      const start = whole.search(unfinished);
      held = start === -1 ? '' : whole.slice(start);
      return whole.slice(0, whole.length - held.length).replaceAll(mark, translate);
    },
    rest() {
      const left = held;
      held = '';
      return left;
    },
    cited: () => cited.map(toCitation),
  };
}
