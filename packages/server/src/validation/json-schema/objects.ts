import { counted } from '../counted.ts';
import { type Check, fieldsOf, isNumber, type Keywords, listOf } from './check.ts';
import { Faults, type Location, quoted, within } from './faults.ts';

type Fields = Record<string, unknown>;

export function checkObject(
  schema: Keywords,
  value: Fields,
  location: Location | undefined,
  faults: Faults,
  check: Check,
): void {
  const names = Object.keys(value);
  check.effort.spend(names.length);
  requireNames(listOf(schema['required']), value, location, faults, check, 'is required');
  checkNames(schema, names, location, faults, check);
  checkDependent(schema, value, location, faults, check);
  for (const name of names) {
    if (faults.isFull) return;
    const rules = rulesFor(schema, name, check);
    const inner = within(location, name);
    if (rules.length === 1 && rules[0] === false) faults.add(inner, 'is not a known field');
    else for (const rule of rules) check.apply(rule, value[name], inner, faults);
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
  location: Location | undefined,
  faults: Faults,
  check: Check,
): void {
  if (isNumber(least) && names.length < least)
    faults.add(location, `must have at least ${counted(least, 'fields')}`);
  if (isNumber(most) && names.length > most)
    faults.add(location, `must have at most ${counted(most, 'fields')}`);
  if (propertyNames === undefined) return;
  for (const name of names) {
    if (faults.isFull) return;
    const found = new Faults(1, check.effort);
    check.apply(propertyNames, name, undefined, found);
    if (found.firstMessage) faults.add(within(location, name), `has a name that ${found.firstMessage}`);
  }
}

/** What the presence of a field requires: dependentRequired, dependentSchemas, and draft 7's `dependencies` for both. */
function checkDependent(
  schema: Keywords,
  value: Fields,
  location: Location | undefined,
  faults: Faults,
  check: Check,
): void {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const dependent = fieldsOf(schema[keyword]);
    for (const [name, asked] of Object.entries(dependent)) {
      check.effort.spend(1);
      if (!Object.hasOwn(value, name)) continue;
      if (Array.isArray(asked)) {
        requireNames(
          asked,
          value,
          location,
          faults,
          check,
          `is required when ${quoted(name, check.effort)} is given`,
        );
      } else check.apply(asked, value, location, faults);
    }
  }
}

function requireNames(
  names: readonly unknown[],
  value: Fields,
  location: Location | undefined,
  faults: Faults,
  check: Check,
  message: string,
): void {
  check.effort.spend(names.length);
  for (const name of new Set(names)) {
    if (faults.isFull) return;
    if (typeof name === 'string' && !Object.hasOwn(value, name)) faults.add(within(location, name), message);
  }
}
