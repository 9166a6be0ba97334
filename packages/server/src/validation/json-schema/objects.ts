import { counted } from '../counted.ts';
import { type Check, fieldsOf, isNumber, type Keywords, listOf } from './check.ts';
import { Faults, Location, quoted } from './faults.ts';

type Fields = Record<string, unknown>;

export function checkObject(schema: Keywords, value: Fields, location: Location, check: Check): void {
  const names = Object.keys(value);
  check.effort.spend(names.length);
  requireNames(listOf(schema['required']), value, location, check, 'is required');
  checkNames(schema, names, location, check);
  checkDependent(schema, value, location, check);
  for (const name of names) {
    if (location.faults.isFull) return;
    const rules = rulesFor(schema, name, check);
    const inner = location.within(name);
    if (rules.length === 1 && rules[0] === false) inner.add('is not a known field');
    else for (const rule of rules) check.apply(rule, value[name], inner);
  }
}

/** The rules of properties, patternProperties and additionalProperties that apply to one field. */
function rulesFor(schema: Keywords, name: string, check: Check): unknown[] {
  const rules = namedRules(schema, name, check);
  const { additionalProperties: others } = schema;
  if (rules.length === 0 && others !== undefined) rules.push(others);
  return rules;
}

export function namedRules(schema: Keywords, name: string, check: Check): unknown[] {
  const properties = fieldsOf(schema['properties']);
  const rules = Object.hasOwn(properties, name) ? [properties[name]] : [];
  const patterns = fieldsOf(schema['patternProperties']);
  for (const pattern of Object.keys(patterns)) {
    if (check.matches(pattern, name)) rules.push(patterns[pattern]);
  }
  return rules;
}

function checkNames(
  { minProperties: least, maxProperties: most, propertyNames }: Keywords,
  names: readonly string[],
  location: Location,
  check: Check,
): void {
  if (isNumber(least) && names.length < least) location.add(`must have at least ${counted(least, 'fields')}`);
  if (isNumber(most) && names.length > most) location.add(`must have at most ${counted(most, 'fields')}`);
  if (propertyNames === undefined) return;
  for (const name of names) {
    if (location.faults.isFull) return;
    const found = new Faults(1, check.effort);
    check.apply(propertyNames, name, new Location(found));
    if (found.firstMessage) location.within(name).add(`has a name that ${found.firstMessage}`);
  }
}

/** What the presence of a field requires: dependentRequired, dependentSchemas, and draft 7's `dependencies` for both. */
function checkDependent(schema: Keywords, value: Fields, location: Location, check: Check): void {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const dependent = fieldsOf(schema[keyword]);
    for (const [name, asked] of Object.entries(dependent)) {
      check.effort.spend(1);
      if (!Object.hasOwn(value, name)) continue;
      if (Array.isArray(asked)) {
        const message = `is required when ${quoted(name, check.effort)} is given`;
        requireNames(asked, value, location, check, message);
      } else check.apply(asked, value, location);
    }
  }
}

function requireNames(
  names: readonly unknown[],
  value: Fields,
  location: Location,
  check: Check,
  message: string,
): void {
  check.effort.spend(names.length);
  for (const name of new Set(names)) {
    if (location.faults.isFull) return;
    if (typeof name === 'string' && !Object.hasOwn(value, name)) location.within(name).add(message);
  }
}
