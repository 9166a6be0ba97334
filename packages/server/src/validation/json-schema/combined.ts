import { type Check, type Keywords, listOf } from './check.ts';
import { Faults, type Place } from './faults.ts';

/** Keywords that apply other schemas to the same value. */
export function checkCombined(
  schema: Keywords,
  value: unknown,
  place: Place | undefined,
  faults: Faults,
  check: Check,
): void {
  const { $ref: reference, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = schema;
  if (typeof reference === 'string') check.apply(check.resolve(reference), value, place, faults);
  for (const part of listOf(allOf)) check.apply(part, value, place, faults);
  if (Array.isArray(anyOf)) checkAlternatives(anyOf, { most: Infinity }, value, place, faults, check);
  if (Array.isArray(oneOf)) checkAlternatives(oneOf, { most: 1 }, value, place, faults, check);
  if (not !== undefined && !faults.isFull && check.fits(not, value)) faults.add(place, 'is not allowed');
  if (condition === undefined || faults.isFull) return;
  const branch = check.fits(condition, value) ? then : otherwise;
  if (branch !== undefined) check.apply(branch, value, place, faults);
}

/** When none matches, reports the faults of the closest one. */
function checkAlternatives(
  branches: readonly unknown[],
  { most }: { most: number },
  value: unknown,
  place: Place | undefined,
  faults: Faults,
  check: Check,
): void {
  let nearest: Faults | undefined;
  let fitting = 0;
  for (const branch of branches) {
    if (faults.isFull || fitting > most || (fitting > 0 && most === Infinity)) break;
    const found = new Faults(faults.limit, check.effort);
    check.apply(branch, value, place, found);
    if (found.count === 0) fitting += 1;
    else if (!nearest || found.count < nearest.count) nearest = found;
  }
  if (fitting > most) faults.add(place, 'fits more than one of its alternatives');
  else if (fitting === 0 && nearest) faults.take(nearest);
}
