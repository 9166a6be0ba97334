import type { FieldError } from '@svc/contract/errors';
import {
  checkArray,
  checkNumber,
  checkObject,
  checkString,
  checkValue,
  isObject,
  type Validation,
} from './keywords.ts';

export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

const mostSteps = 20_000;
const mostPatternMs = 100;
const mostErrors = 20;

class TooComplicated extends Error {}

/**
 * Checks a value against a JSON Schema that somebody else wrote. It reads the schema and makes no code of it, as
 * compiling validators do. A keyword that it does not know says nothing, as the standard has it.
 */
export function validateJson(schema: JsonSchema, value: unknown): FieldError[] {
  let stepsLeft = mostSteps;
  const validation: Validation = {
    patternMsLeft: mostPatternMs,
    check(part, partValue, path) {
      stepsLeft -= 1;
      if (stepsLeft < 0) throw new TooComplicated();
      if (part === false) return [{ path, message: 'is not allowed' }];
      if (!isObject(part)) return [];
      return [
        ...checkValue(part, partValue, path),
        ...(typeof partValue === 'string' ? checkString(part, partValue, path, validation) : []),
        ...(typeof partValue === 'number' ? checkNumber(part, partValue, path) : []),
        ...(Array.isArray(partValue) ? checkArray(part, partValue, path, validation) : []),
        ...(isObject(partValue) ? checkObject(part, partValue, path, validation) : []),
        ...checkReference(part, partValue, path, schema, validation),
        ...checkCombined(part, partValue, path, validation),
      ];
    },
  };
  try {
    return validation.check(schema, value, '').slice(0, mostErrors);
  } catch (error) {
    // A schema that refers to itself ends in one or the other.
    if (error instanceof TooComplicated || error instanceof RangeError)
      return [{ path: '', message: 'can not be checked: the schema is too complicated' }];
    throw error;
  }
}

function checkReference(
  { $ref: reference }: Record<string, unknown>,
  value: unknown,
  path: string,
  root: JsonSchema,
  validation: Validation,
): FieldError[] {
  if (typeof reference !== 'string') return [];
  return validation.check(resolveReference(reference, root), value, path);
}

function checkCombined(
  { allOf, anyOf, oneOf, not, if: condition, then, else: otherwise }: Record<string, unknown>,
  value: unknown,
  path: string,
  { check }: Validation,
): FieldError[] {
  const errorsOf = (branch: unknown) => check(branch, value, path);
  const fits = (branch: unknown) => errorsOf(branch).length === 0;
  const errors: FieldError[] = [];
  if (Array.isArray(allOf)) errors.push(...allOf.flatMap(errorsOf));
  if (Array.isArray(anyOf)) errors.push(...closest(anyOf.map(errorsOf)));
  if (Array.isArray(oneOf)) {
    const branches = oneOf.map(errorsOf);
    const fitting = branches.filter((branch) => branch.length === 0).length;
    if (fitting > 1) errors.push({ path, message: 'fits more than one of its alternatives' });
    else errors.push(...closest(branches));
  }
  if (not !== undefined && fits(not)) errors.push({ path, message: 'is not allowed' });
  if (condition !== undefined) errors.push(...errorsOf((fits(condition) ? then : otherwise) ?? true));
  return errors;
}

/** Nothing when one branch fits; else what the nearest one says. */
function closest(branches: FieldError[][]): FieldError[] {
  return branches.toSorted((left, right) => left.length - right.length)[0] ?? [];
}

/** `#`, `#/$defs/name`. Others lead out of the document and are never fetched: nothing fits them. */
function resolveReference(reference: string, root: JsonSchema): unknown {
  if (!/^#(\/|$)/.test(reference)) return false;
  let found: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return false;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
