import { counted } from '../counted.ts';
import { withArticle } from '../with-article.ts';
import { type Check, isNumber, isObject, type Keywords } from './check.ts';
import { type Location, quoted, quotedList } from './faults.ts';
import { isMultiple } from './is-multiple.ts';
import { isSameValue, shapeOf } from './same-value.ts';
import { fitsFormat } from './text-format.ts';

/** Keywords of any value: type, enum, const. For a value of the wrong type, only that is reported. */
export function checkValue(schema: Keywords, value: unknown, location: Location, check: Check): void {
  const { type, enum: allowed, const: only } = schema;
  const types = [type].flat().filter((name) => typeof name === 'string');
  check.effort.spend(types.length);
  // OpenAPI's keyword, which servers use in JSON Schema too.
  if (types.length > 0 && schema['nullable'] === true) types.push('null');
  if (types.length > 0 && !types.some((name) => isOfType(value, name))) {
    return location.add(`must be ${types.slice(0, 8).map(withArticle).join(' or ')}`);
  }
  if (Array.isArray(allowed) && !isAmong(value, allowed, check)) {
    const named = quotedList(allowed, check.effort);
    return location.add(named ? `must be one of ${named}` : 'is not allowed');
  }
  if (Object.hasOwn(schema, 'const') && !isSameValue(only, value, check.effort)) {
    location.add(`must be ${quoted(only, check.effort)}`);
  }
}

function isAmong(value: unknown, allowed: readonly unknown[], check: Check): boolean {
  const { plain, byShape } = check.enumOf(allowed);
  check.effort.spendOnText(typeof value === 'string' ? value.length : 0);
  if (typeof value !== 'object' || value === null) return plain.has(value);
  const alike = byShape.get(shapeOf(value, check.effort)) ?? [];
  return alike.some((one) => isSameValue(one, value, check.effort));
}

export function checkString(schema: Keywords, value: string, location: Location, check: Check): void {
  const { minLength: least, maxLength: most, pattern, format } = schema;
  if (isNumber(least) && hasFewerThan(value, least, check)) {
    location.add(`must have at least ${counted(least, 'characters')}`);
  }
  if (isNumber(most) && !hasFewerThan(value, most + 1, check)) {
    location.add(`must have at most ${counted(most, 'characters')}`);
  }
  if (typeof format === 'string') {
    check.effort.spendOnText(value.length);
    if (!fitsFormat(format, value)) location.add(`must be a valid ${quoted(format, check.effort)}`);
  }
  if (typeof pattern === 'string' && !location.faults.isFull && !check.matches(pattern, value)) {
    location.add(`must match the pattern ${quoted(pattern, check.effort)}`);
  }
}

/** Counts characters as JSON Schema does: a surrogate pair is one. Most texts need not be counted. */
function hasFewerThan(text: string, limit: number, { effort }: Check): boolean {
  if (text.length < limit) return true;
  if (text.length >= 2 * limit) return false;
  effort.spend(text.length / 8);
  let characters = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1;
    characters += 1;
  }
  return characters < limit;
}

export function checkNumber(schema: Keywords, value: number, location: Location, { effort }: Check): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (isNumber(minimum) && value < minimum) location.add(`must be at least ${minimum}`);
  if (isNumber(maximum) && value > maximum) location.add(`must be at most ${maximum}`);
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum)
    location.add(`must be more than ${exclusiveMinimum}`);
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum)
    location.add(`must be less than ${exclusiveMaximum}`);
  if (isNumber(multipleOf) && multipleOf > 0 && !isMultiple(value, multipleOf, effort)) {
    location.add(`must be a multiple of ${multipleOf}`);
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
