import { counted } from '../counted.ts';
import { type Check, isNumber, type Keywords, listOf } from './check.ts';
import type { Location } from './faults.ts';
import { canonicalText } from './same-value.ts';

export function checkArray(schema: Keywords, value: readonly unknown[], location: Location, check: Check) {
  const { minItems, maxItems, uniqueItems } = schema;
  if (isNumber(minItems) && value.length < minItems) {
    location.add(`must have at least ${counted(minItems, 'entries')}`);
  }
  if (isNumber(maxItems) && value.length > maxItems) {
    location.add(`must have at most ${counted(maxItems, 'entries')}`);
  }
  if (uniqueItems === true && !isUnique(value, check)) location.add('must not have duplicate entries');
  checkContained(schema, value, location, check);
  const { first, rest } = entryRules(schema);
  const last = rest === undefined ? Math.min(first.length, value.length) : value.length;
  for (let index = 0; index < last && !location.faults.isFull; index += 1) {
    const rule = index < first.length ? first[index] : rest;
    check.apply(rule, value[index], location.within(index));
  }
}

/** The rule of each of the first entries, and of all others: `prefixItems` and `items`, or draft 7's equivalents. */
export function entryRules({ prefixItems, items, additionalItems }: Keywords): {
  first: readonly unknown[];
  rest: unknown;
} {
  if (Array.isArray(items)) return { first: items, rest: additionalItems };
  return { first: listOf(prefixItems), rest: items };
}

function isUnique(value: readonly unknown[], { effort }: Check): boolean {
  const seen = new Set<string>();
  for (const entry of value) {
    const text = canonicalText(entry, effort);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

function checkContained(
  { contains, minContains, maxContains }: Keywords,
  value: readonly unknown[],
  location: Location,
  check: Check,
): void {
  if (contains === undefined || location.faults.isFull) return;
  const least = isNumber(minContains) ? minContains : 1;
  const most = isNumber(maxContains) ? maxContains : Infinity;
  let found = 0;
  for (const entry of value) {
    if (check.fits(contains, entry)) found += 1;
    if (found > most || (found >= least && most === Infinity)) break;
  }
  if (found < least) location.add(`must have at least ${fitting(least)}`);
  if (found > most) location.add(`must have at most ${fitting(most)}`);
}

function fitting(count: number): string {
  return `${counted(count, 'entries')} that ${count === 1 ? 'fits' : 'fit'} what it must contain`;
}
