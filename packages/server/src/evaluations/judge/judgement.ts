import type { JudgedFact } from '@svc/contract/evaluations';
import { parse, readWrittenJson } from '../../models/written-json.ts';

export type ReadJudgement = { kind: 'judged'; facts: JudgedFact[] } | { kind: 'unclear'; problem: string };

const longestExplanation = 1_000;

/** Pure: what a model said about facts. Tolerant of how it is wrapped, never of what it leaves open. */
export function readJudgement(text: string, facts: readonly string[]): ReadJudgement {
  const entries = findEntries(text);
  if (!entries) return unclear('It is not a JSON object with a list "facts".');
  const judged: JudgedFact[] = [];
  for (const [index, fact] of facts.entries()) {
    const number = index + 1;
    const said = entries.filter((entry) => Number(entry['number']) === number);
    const holds = said.map((entry) => readHolds(entry['holds']));
    const [first] = holds;
    if (first === undefined)
      return unclear(`It says of fact ${number} neither that it holds nor that it does not.`);
    // A fact must not pass on one of two opinions.
    if (holds.some((one) => one !== first)) return unclear(`It says two things of fact ${number}.`);
    judged.push({ fact, holds: first, explanation: readExplanation(said[0]?.['explanation']) });
  }
  return { kind: 'judged', facts: judged };
}

function findEntries(text: string): Record<string, unknown>[] | undefined {
  const written = readWrittenJson(text);
  const found = written.kind === 'json' ? written : parse(/[[{][\s\S]*[\]}]/.exec(text)?.[0] ?? '');
  if (found.kind === 'broken') return undefined;
  const list: unknown = Array.isArray(found.value) ? found.value : asObject(found.value)?.['facts'];
  return Array.isArray(list) ? list.map(asObject).filter((entry) => entry !== undefined) : undefined;
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function readHolds(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (word === true || word === 'true') return true;
  return word === false || word === 'false' ? false : undefined;
}

function readExplanation(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const bounded = text.slice(0, longestExplanation).toWellFormed().replaceAll('\0', '');
  return bounded || 'The judge gave no explanation.';
}

function unclear(problem: string): ReadJudgement {
  return { kind: 'unclear', problem };
}
