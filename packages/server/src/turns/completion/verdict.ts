import { parse, readWrittenJson } from '../../models/written-json.ts';
import { storableText } from '../write/storable.ts';

export interface Verdict {
  verdict: 'complete' | 'incomplete';
  missing: string[];
}

export type ReadVerdict = { kind: 'verdict'; verdict: Verdict } | { kind: 'unclear'; problem: string };

const mostMissing = 20;
const longestMissing = 1_000;

/** Pure: what a model said about a run. Tolerant of how it is wrapped, never of what it says. */
export function readVerdict(text: string): ReadVerdict {
  const value = findObject(text);
  if (!value) return unclear('It is not a JSON object.');
  const verdict = typeof value['verdict'] === 'string' ? value['verdict'].trim().toLowerCase() : undefined;
  if (verdict !== 'complete' && verdict !== 'incomplete') {
    return unclear('"verdict" must be "complete" or "incomplete".');
  }
  const missing = readMissing(value['missing']);
  // One of the two is wrong, and a run must not pass for complete on a guess.
  if (verdict === 'complete' && missing.length > 0) {
    return unclear('"verdict" is "complete", and yet "missing" names something.');
  }
  return { kind: 'verdict', verdict: { verdict, missing } };
}

function findObject(text: string): Record<string, unknown> | undefined {
  const written = readWrittenJson(text);
  const bare = written.kind === 'json' ? written : parse(/\{[\s\S]*\}/.exec(text)?.[0] ?? '');
  if (bare.kind === 'broken') return undefined;
  const { value } = bare;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function readMissing(value: unknown): string[] {
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries
    .flatMap((entry) => {
      if (entry === null || entry === undefined) return [];
      return typeof entry === 'string' ? entry.trim() : JSON.stringify(entry);
    })
    .filter((entry) => entry !== '')
    .slice(0, mostMissing)
    .map((entry) => storableText(entry.slice(0, longestMissing)));
}

function unclear(problem: string): ReadVerdict {
  return { kind: 'unclear', problem };
}
