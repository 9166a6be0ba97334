import { AppError, invalid } from '../app-error.ts';
import { clip } from './clip.ts';

const deepest = 64;
const longestKeyShown = 100;

/**
 * PostgreSQL cannot store the character U+0000 or half a surrogate pair, and deeply nested JSON overflows the stack of
 * whoever walks it next. Refused here, once, for every body and query.
 *
 * Anybody can send what is walked here, so a step costs the same however long the path to it is: the path is put
 * together only for what is refused.
 */
export function guardText(value: unknown, root = ''): void {
  const fault = findFault(value, 0);
  if (!fault) return;
  if (fault.isTooDeep) {
    throw new AppError('VALIDATION_FAILED', {
      message: `The body is nested more than ${deepest} levels deep.`,
    });
  }
  const keys = fault.keys.toReversed().map((key) => clip(key, longestKeyShown));
  const path = [root, ...keys].filter(Boolean).join('.').toWellFormed().replaceAll('\0', '');
  throw invalid(path || 'body', 'must be well-formed text without the character U+0000');
}

interface Fault {
  isTooDeep: boolean;
  /** From the fault outwards. */
  keys: string[];
}

function findFault(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : { isTooDeep: false, keys: [] };
  if (value === null || typeof value !== 'object') return undefined;
  if (depth >= deepest) return { isTooDeep: true, keys: [] };
  return Array.isArray(value) ? findInArray(value, depth) : findInObject(value, depth);
}

function findInArray(entries: readonly unknown[], depth: number): Fault | undefined {
  for (let index = 0; index < entries.length; index += 1) {
    const fault = findFault(entries[index], depth + 1);
    if (fault) return { ...fault, keys: [...fault.keys, String(index)] };
  }
  return undefined;
}

function findInObject(fields: object, depth: number): Fault | undefined {
  for (const key of Object.keys(fields)) {
    if (!isStorable(key)) return { isTooDeep: false, keys: [key] };
    const fault = findFault((fields as Record<string, unknown>)[key], depth + 1);
    if (fault) return { ...fault, keys: [...fault.keys, key] };
  }
  return undefined;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
