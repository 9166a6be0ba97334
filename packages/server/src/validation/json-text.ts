import { invalid } from '../lib/app-error.ts';
import type { Check } from './checker.ts';
import { guardText } from './text-guard.ts';

/** Reads a field that may be JSON itself or JSON encoded as a string, and checks it like any other input. */
export function readJsonField<Value>(field: unknown, path: string, check: Check<Value>): Value {
  if (typeof field !== 'string') return check(field, path);
  let value: unknown;
  try {
    value = JSON.parse(field);
  } catch {
    throw invalid(path, 'is not valid JSON');
  }
  guardText(value, path);
  return check(value, path);
}
