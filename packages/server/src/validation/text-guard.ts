import { AppError, invalid } from '../lib/app-error.ts';
import { clip } from './clip.ts';
import { storable } from './storable.ts';

const maxDepth = 64;
const maxShownKeyLength = 100;
/** No request needs nearly as many; a megabyte can hold ten times more. */
const maxValues = 50_000;

/**
 * PostgreSQL cannot store the character U+0000 or half a surrogate pair, deeply nested JSON overflows the stack of the code
 * that walks it next, and very many values take long to walk. All are refused here, once, for every body and query.
 *
 * This walks untrusted input, so a step must cost the same however long its path is: the path is built only for values that
 * are refused.
 */
export function guardText(value: unknown, root = '', limits = { values: maxValues }): void {
  const fault = findFault(value, 0, { valuesLeft: limits.values });
  if (!fault) return;
  switch (fault.kind) {
    case 'too deep':
      throw new AppError('VALIDATION_FAILED', {
        message: `${root || 'The body'} is nested more than ${maxDepth} levels deep.`,
      });
    case 'too many':
      throw new AppError('VALIDATION_FAILED', {
        message: `${root || 'The body'} holds more than ${limits.values} values.`,
      });
    case 'text': {
      const keys = fault.keys.toReversed().map((key) => clip(key, maxShownKeyLength));
      const path = storable([root, ...keys].filter(Boolean).join('.'));
      throw invalid(path || 'body', 'must be well-formed text without the character U+0000');
    }
  }
}

interface Fault {
  kind: 'text' | 'too deep' | 'too many';
  /** From the fault outwards. */
  keys: string[];
}

interface Walk {
  valuesLeft: number;
}

function findFault(value: unknown, depth: number, walk: Walk): Fault | undefined {
  walk.valuesLeft -= 1;
  if (walk.valuesLeft < 0) return { kind: 'too many', keys: [] };
  if (typeof value === 'string') return isStorable(value) ? undefined : { kind: 'text', keys: [] };
  if (value === null || typeof value !== 'object') return undefined;
  if (depth >= maxDepth) return { kind: 'too deep', keys: [] };
  return Array.isArray(value) ? findInArray(value, depth, walk) : findInObject(value, depth, walk);
}

function findInArray(entries: readonly unknown[], depth: number, walk: Walk): Fault | undefined {
  for (let index = 0; index < entries.length; index += 1) {
    const fault = findFault(entries[index], depth + 1, walk);
    if (fault) return { ...fault, keys: [...fault.keys, String(index)] };
  }
  return undefined;
}

function findInObject(fields: object, depth: number, walk: Walk): Fault | undefined {
  for (const key of Object.keys(fields)) {
    if (!isStorable(key)) return { kind: 'text', keys: [key] };
    const fault = findFault((fields as Record<string, unknown>)[key], depth + 1, walk);
    if (fault) return { ...fault, keys: [...fault.keys, key] };
  }
  return undefined;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
