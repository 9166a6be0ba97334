import type { FieldError } from '@svc/contract/errors';
import { checkArray } from './arrays.ts';
import { type Check, type EnumValues, isObject, type JsonSchema, type Keywords, listOf } from './check.ts';
import { Effort } from './effort.ts';
import { Faults, Location, maxFaults } from './faults.ts';
import { checkNumber, checkString, checkValue } from './keywords.ts';
import { checkObject } from './objects.ts';
import { findReferred } from './reference.ts';
import { shapeOf } from './same-value.ts';
import { checkUnevaluated } from './unevaluated.ts';

export interface Means {
  /** The budget. */
  units: number;
  /** The time of regular expressions cannot be charged, so the caller is responsible for limiting it. */
  matches(pattern: string, text: string): boolean;
}

/**
 * What is wrong with a value according to an untrusted JSON Schema: at most twenty readable faults. It interprets the schema
 * and generates no code from it, unlike compiling validators. Throws TooMuchWork.
 */
export function findFaults(schema: JsonSchema, value: unknown, means: Means): FieldError[] {
  const check = createCheck(schema, means);
  const faults = new Faults(maxFaults, check.effort);
  check.apply(schema, value, new Location(faults));
  return faults.list();
}

function createCheck(root: JsonSchema, { units, matches }: Means): Check {
  const effort = new Effort(units);
  const referred = new Map<string, unknown>();
  const enums = new Map<readonly unknown[], EnumValues>();
  const check: Check = {
    effort,
    apply(schema, value, location) {
      effort.spend(2);
      if (location.faults.isFull || schema === true) return;
      if (schema === false) return location.add('is not allowed');
      if (!isObject(schema)) return;
      effort.deeper(() => {
        checkValue(schema, value, location, check);
        if (typeof value === 'string') checkString(schema, value, location, check);
        else if (typeof value === 'number') checkNumber(schema, value, location, check);
        else if (Array.isArray(value)) checkArray(schema, value, location, check);
        else if (isObject(value)) checkObject(schema, value, location, check);
        checkCombined(schema, value, location, check);
        checkUnevaluated(schema, value, location, check);
      });
    },
    fits(schema, value) {
      const faults = new Faults(1, effort);
      check.apply(schema, value, new Location(faults));
      return faults.count === 0;
    },
    matches(pattern, text) {
      effort.spendOnText(pattern.length + text.length);
      return matches(pattern, text);
    },
    resolve(reference) {
      effort.spendOnText(reference.length);
      if (!referred.has(reference)) referred.set(reference, findReferred(reference, root) ?? false);
      return referred.get(reference);
    },
    enumOf(values) {
      const known = enums.get(values);
      if (known) return known;
      effort.spend(values.length);
      const isPlain = (one: unknown) => typeof one !== 'object' || one === null;
      const structured = values.filter((one) => typeof one === 'object' && one !== null);
      const made = {
        plain: new Set(values.filter(isPlain)),
        byShape: Map.groupBy(structured, (one) => shapeOf(one, effort)),
      };
      enums.set(values, made);
      return made;
    },
  };
  return check;
}

/** Keywords that apply other schemas to the same value. */
function checkCombined(schema: Keywords, value: unknown, location: Location, check: Check): void {
  const { $ref: reference, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = schema;
  if (typeof reference === 'string') check.apply(check.resolve(reference), value, location);
  for (const part of listOf(allOf)) check.apply(part, value, location);
  if (Array.isArray(anyOf)) checkAlternatives(anyOf, { most: Infinity }, value, location, check);
  if (Array.isArray(oneOf)) checkAlternatives(oneOf, { most: 1 }, value, location, check);
  if (not !== undefined && !location.faults.isFull && check.fits(not, value)) location.add('is not allowed');
  if (condition === undefined || location.faults.isFull) return;
  const branch = check.fits(condition, value) ? then : otherwise;
  if (branch !== undefined) check.apply(branch, value, location);
}

/** When none matches, reports the faults of the closest one. */
function checkAlternatives(
  branches: readonly unknown[],
  { most }: { most: number },
  value: unknown,
  location: Location,
  check: Check,
): void {
  let nearest: Faults | undefined;
  let fitting = 0;
  for (const branch of branches) {
    if (location.faults.isFull || fitting > most || (fitting > 0 && most === Infinity)) break;
    const found = new Faults(location.faults.limit, check.effort);
    check.apply(branch, value, new Location(found, location.above, location.name));
    if (found.count === 0) fitting += 1;
    else if (!nearest || found.count < nearest.count) nearest = found;
  }
  if (fitting > most) location.add('fits more than one of its alternatives');
  else if (fitting === 0 && nearest) location.faults.take(nearest);
}
