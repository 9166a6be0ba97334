import type { Citation } from '@svc/contract/conversations';
import type { NumberedPassage } from './numbered-passage.ts';

export interface CitationMarks {
  /** Passes text on with the marks as readers see them; what may become a mark is held back until it is whole. */
  push(text: string): string;
  rest(): string;
  /** What was cited so far: the first is what readers see as [1]. */
  cited(): Citation[];
}

/** `[3]`, `[1, 4]` */
const mark = /\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]/g;
const unfinished = /\[[\d,\s]{0,40}$/;

/**
 * Turns the numbers that the model was given into places in the message's list of citations: what it calls [3] becomes
 * [1] when it is the first that it cites. Numbers that nobody gave it stay as they are.
 */
export function createCitationMarks(passages: readonly NumberedPassage[]): CitationMarks {
  const byNumber = new Map(passages.map((passage) => [passage.number, passage]));
  const cited: NumberedPassage[] = [];
  let held = '';

  function place(passage: NumberedPassage): number {
    const known = cited.indexOf(passage);
    return known === -1 ? cited.push(passage) : known + 1;
  }

  function translate(text: string): string {
    const numbers = text.match(/\d+/g)?.map(Number) ?? [];
    const named = numbers.map((number) => byNumber.get(number));
    if (!named.every((passage) => passage !== undefined)) return text;
    return `[${named.map(place).join(', ')}]`;
  }

  return {
    push(text) {
      const whole = held + text;
      const start = byNumber.size > 0 ? whole.search(unfinished) : -1;
      held = start === -1 ? '' : whole.slice(start);
      const ready = start === -1 ? whole : whole.slice(0, start);
      return byNumber.size > 0 ? ready.replaceAll(mark, translate) : ready;
    },
    rest() {
      const left = held;
      held = '';
      return left;
    },
    cited: () => cited.map(({ number: _number, ...citation }) => citation),
  };
}
