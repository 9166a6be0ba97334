import type { JudgedFact } from '@svc/contract/evaluations';
import { Type } from 'typebox';
import { answerFault } from '../../models/ask-for-json.ts';
import { jsonForm } from '../../models/json-form.ts';
import { isObject } from '../../validation/json-schema/check.ts';
import { storable } from '../../validation/storable.ts';

const Entries = Type.Array(Type.Unknown());
/** Some models write the list alone. */
const WrittenJudgement = Type.Union([Type.Object({ facts: Entries }), Entries]);
export type WrittenJudgement = Type.Static<typeof WrittenJudgement>;

export const judgementForm = jsonForm(WrittenJudgement, { maxOutputTokens: 16_000, maxCharacters: 200_000 });

const maxCharactersOfExplanation = 1_000;

/** Accepts numbers and booleans as strings. Throws VALIDATION_FAILED when a fact has no clear judgement. */
export function readJudgement(written: WrittenJudgement, facts: readonly string[]): JudgedFact[] {
  const entries = (Array.isArray(written) ? written : written.facts).filter(isObject);
  return facts.map((fact, index) => readFact(fact, index + 1, entries));
}

function readFact(fact: string, number: number, entries: readonly Record<string, unknown>[]): JudgedFact {
  const found = entries.filter((entry) => readNumber(entry['number']) === number);
  const [holds, ...others] = found.map((entry) => readHolds(entry['holds']));
  if (holds === undefined)
    throw answerFault(`It says of fact ${number} neither that it holds nor that it does not.`);
  // A fact must not pass on one of two contradicting judgements.
  if (others.some((other) => other !== holds)) throw answerFault(`It says two things of fact ${number}.`);
  return { fact, holds, explanation: readExplanation(found[0]?.['explanation']) };
}

/** `Number()` would throw for an object whose `valueOf` is not a function. */
function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : undefined;
}

function readHolds(value: unknown): boolean | undefined {
  const holds = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (holds === true || holds === 'true') return true;
  return holds === false || holds === 'false' ? false : undefined;
}

function readExplanation(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const bounded = storable(text.slice(0, maxCharactersOfExplanation));
  return bounded || 'The judge gave no explanation.';
}
