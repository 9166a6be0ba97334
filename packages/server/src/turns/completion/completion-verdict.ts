import { Type } from 'typebox';
import { answerFault } from '../../models/ask-for-json.ts';
import { jsonForm } from '../../models/json-form.ts';
import { storable } from '../../validation/storable.ts';

export interface Verdict {
  verdict: 'complete' | 'incomplete';
  missing: string[];
}

export type WrittenVerdict = Type.Static<typeof WrittenVerdict>;
const WrittenVerdict = Type.Object({ verdict: Type.String(), missing: Type.Optional(Type.Unknown()) });

export const verdictForm = jsonForm(WrittenVerdict, { maxOutputTokens: 16_000, maxCharacters: 100_000 });

const maxMissing = 20;
const maxCharactersOfMissing = 1_000;

/** Accepts "missing" in any form. Throws VALIDATION_FAILED when the verdict itself is not clear. */
export function readVerdict(written: WrittenVerdict): Verdict {
  const verdict = written.verdict.trim().toLowerCase();
  if (verdict !== 'complete' && verdict !== 'incomplete') {
    throw answerFault('"verdict" must be "complete" or "incomplete".');
  }
  const missing = readMissing(written.missing);
  // The two contradict each other, and a run must not be completed on a guess.
  if (verdict === 'complete' && missing.length > 0) {
    throw answerFault('"verdict" is "complete", and yet "missing" names something.');
  }
  return { verdict, missing };
}

function readMissing(value: unknown): string[] {
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries
    .flatMap((entry) => {
      if (entry === null || entry === undefined) return [];
      return typeof entry === 'string' ? entry.trim() : JSON.stringify(entry);
    })
    .filter((entry) => entry !== '')
    .slice(0, maxMissing)
    .map((entry) => storable(entry.slice(0, maxCharactersOfMissing)));
}
