import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@svc/contract/errors';
import { matchesPattern } from './pattern.ts';
import { fitsFormat } from './text-format.ts';

type Schema = Record<string, unknown>;

/** One validation. Schemas come from users: what they can make it cost is counted. */
export interface Validation {
  /** What is wrong with a value at a path; empty when it fits. */
  check(schema: unknown, value: unknown, path: string): FieldError[];
  patternMsLeft: number;
}

/** Keywords of any value: type, enum, const. */
export function checkValue(schema: Schema, value: unknown, path: string): FieldError[] {
  const { type, enum: allowed } = schema;
  const types = [type].flat().filter((name) => typeof name === 'string');
  if (types.length > 0 && !types.some((name) => isOfType(value, name))) {
    return [{ path, message: `must be ${types.map(withArticle).join(' or ')}` }];
  }
  if (Array.isArray(allowed) && !allowed.some((one) => isDeepStrictEqual(one, value))) {
    return [{ path, message: `must be one of ${allowed.map(quote).join(', ')}` }];
  }
  if ('const' in schema && !isDeepStrictEqual(schema['const'], value)) {
    return [{ path, message: `must be ${quote(schema['const'])}` }];
  }
  return [];
}

export function checkString(
  schema: Schema,
  value: string,
  path: string,
  validation: Validation,
): FieldError[] {
  const { minLength, maxLength, pattern, format } = schema;
  // Characters as JSON Schema counts them: code points.
  const { length } = Array.from(value);
  const errors: FieldError[] = [];
  const say = (message: string) => errors.push({ path, message });
  if (isNumber(minLength) && length < minLength) say(`must have at least ${minLength} characters`);
  if (isNumber(maxLength) && length > maxLength) say(`must have at most ${maxLength} characters`);
  if (typeof pattern === 'string' && !fitsPattern(pattern, value, validation)) {
    say(`must match the pattern ${pattern}`);
  }
  if (typeof format === 'string' && !fitsFormat(format, value)) say(`must be a valid ${format}`);
  return errors;
}

export function checkNumber(schema: Schema, value: number, path: string): FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const errors: FieldError[] = [];
  const say = (message: string) => errors.push({ path, message });
  if (isNumber(minimum) && value < minimum) say(`must be at least ${minimum}`);
  if (isNumber(maximum) && value > maximum) say(`must be at most ${maximum}`);
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) say(`must be more than ${exclusiveMinimum}`);
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) say(`must be less than ${exclusiveMaximum}`);
  if (isNumber(multipleOf) && multipleOf > 0) {
    const times = value / multipleOf;
    // 0.3 / 0.1 is not quite 3.
    if (Math.abs(times - Math.round(times)) > 1e-9) say(`must be a multiple of ${multipleOf}`);
  }
  return errors;
}

export function checkArray(
  schema: Schema,
  value: unknown[],
  path: string,
  validation: Validation,
): FieldError[] {
  const { minItems, maxItems, uniqueItems, items, prefixItems } = schema;
  const errors: FieldError[] = [];
  const say = (message: string) => errors.push({ path, message });
  if (isNumber(minItems) && value.length < minItems) say(`must have at least ${minItems} entries`);
  if (isNumber(maxItems) && value.length > maxItems) say(`must have at most ${maxItems} entries`);
  if (uniqueItems === true && new Set(value.map((entry) => JSON.stringify(entry))).size < value.length) {
    say('must not have an entry twice');
  }
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  value.forEach((entry, index) => {
    const rule: unknown = index < first.length ? first[index] : (items ?? true);
    errors.push(...validation.check(rule, entry, join(path, String(index))));
  });
  return errors;
}

export function checkObject(
  schema: Schema,
  value: Schema,
  path: string,
  validation: Validation,
): FieldError[] {
  const { required, minProperties, maxProperties, additionalProperties } = schema;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const patterns = isObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : [];
  const errors: FieldError[] = [];
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) {
      errors.push({ path: join(path, name), message: 'is required' });
    }
  }
  const names = Object.keys(value);
  if (isNumber(minProperties) && names.length < minProperties) {
    errors.push({ path, message: `must have at least ${minProperties} fields` });
  }
  if (isNumber(maxProperties) && names.length > maxProperties) {
    errors.push({ path, message: `must have at most ${maxProperties} fields` });
  }
  for (const name of names) {
    const rules = patterns
      .filter(([pattern]) => fitsPattern(pattern, name, validation))
      .map(([, rule]) => rule);
    if (Object.hasOwn(properties, name)) rules.push(properties[name]);
    const known = rules.length > 0;
    if (!known && additionalProperties === false) {
      errors.push({ path: join(path, name), message: 'is not a known field' });
    } else {
      if (!known) rules.push(additionalProperties ?? true);
      errors.push(...rules.flatMap((rule) => validation.check(rule, value[name], join(path, name))));
    }
  }
  return errors;
}

/** All patterns of one validation share their time; what could not be looked at does not fit. */
function fitsPattern(pattern: string, text: string, validation: Validation): boolean {
  if (validation.patternMsLeft <= 0) return false;
  const startedAt = performance.now();
  const fits = matchesPattern(pattern, text, validation.patternMsLeft);
  validation.patternMsLeft -= performance.now() - startedAt;
  return fits === true;
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

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const quote = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const join = (path: string, name: string) => (path ? `${path}.${name}` : name);

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
