import type { Search } from '@svc/contract/machine-protocol';
import { Refusal } from '../../confine/refusal.ts';

export interface Matcher {
  /** False only if no line can match: a cheap look at the whole file. */
  mayMatch(bytes: Buffer): boolean;
  matches(line: string): boolean;
}

export function createMatcher({ query, regex, ignore_case }: Search): Matcher {
  if (/[\r\n]/.test(query)) throw new Refusal('The query must be one line: lines are searched one by one.');
  if (regex) {
    const expression = compile(query, ignore_case ?? false);
    return { mayMatch: () => true, matches: (line) => expression.test(line) };
  }
  if (ignore_case) {
    const folded = query.toLowerCase();
    return { mayMatch: () => true, matches: (line) => line.toLowerCase().includes(folded) };
  }
  return { mayMatch: (bytes) => bytes.includes(query), matches: (line) => line.includes(query) };
}

/** Models often write `(?i)` at the beginning, which JavaScript does not know. */
function compile(query: string, ignoreCase: boolean): RegExp {
  const source = query.replace(/^\(\?i\)/, '');
  const flags = ignoreCase || source !== query ? 'i' : '';
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The regular expression cannot be used: ${reason}`);
  }
}
