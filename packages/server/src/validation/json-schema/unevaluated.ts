import { entryRules } from './arrays.ts';
import { type Check, fieldsOf, isObject, type Keywords, listOf } from './check.ts';
import type { Location } from './faults.ts';
import { namedRules } from './objects.ts';

/** unevaluatedProperties and unevaluatedItems: the parts that no other applicable keyword has checked. */
export function checkUnevaluated(schema: Keywords, value: unknown, location: Location, check: Check): void {
  const keyword = Array.isArray(value) ? 'unevaluatedItems' : 'unevaluatedProperties';
  const rule = schema[keyword];
  if (rule === undefined || location.faults.isFull || typeof value !== 'object' || value === null) return;
  check.effort.spend(Object.keys(schema).length + Object.keys(value).length);
  const { [keyword]: _own, ...rest } = schema;
  const applied = appliedHere(rest, value, check);
  for (const [name, entry] of Object.entries(value)) {
    check.effort.spend(applied.length);
    if (location.faults.isFull) return;
    if (applied.some((one) => looksAt(one, name, entry, value, check))) continue;
    const inner = location.within(name);
    if (rule === false) inner.add(Array.isArray(value) ? 'is one entry too many' : 'is not a known field');
    else check.apply(rule, entry, inner);
  }
}

/** The schema and those that it applies to the same value, if the value satisfies them. */
function appliedHere(schema: unknown, value: object, check: Check): Keywords[] {
  check.effort.spend(1);
  if (!isObject(schema)) return [];
  return check.effort.deeper(() => [
    schema,
    ...inSameLocation(schema, value, check).flatMap((part) => appliedHere(part, value, check)),
  ]);
}

function inSameLocation(schema: Keywords, value: object, check: Check): unknown[] {
  const { $ref: reference, allOf, anyOf, oneOf, if: condition, then, else: otherwise } = schema;
  const fits = (part: unknown) => check.fits(part, value);
  const parts = [...listOf(allOf), ...[...listOf(anyOf), ...listOf(oneOf)].filter(fits)];
  if (typeof reference === 'string') parts.push(check.resolve(reference));
  if (condition !== undefined) parts.push(...(fits(condition) ? [condition, then] : [otherwise]));
  if (Array.isArray(value)) return parts;
  for (const keyword of ['dependentSchemas', 'dependencies'] as const) {
    const dependent = Object.entries(fieldsOf(schema[keyword]));
    parts.push(...dependent.filter(([name]) => Object.hasOwn(value, name)).map(([, part]) => part));
  }
  return parts;
}

function looksAt(schema: Keywords, name: string, entry: unknown, value: object, check: Check): boolean {
  if (!Array.isArray(value)) {
    const { additionalProperties: others, unevaluatedProperties: rest } = schema;
    return others !== undefined || rest !== undefined || namedRules(schema, name, check).length > 0;
  }
  const { first, rest } = entryRules(schema);
  const { unevaluatedItems, contains } = schema;
  if (Number(name) < first.length || rest !== undefined || unevaluatedItems !== undefined) return true;
  return contains !== undefined && check.fits(contains, entry);
}
