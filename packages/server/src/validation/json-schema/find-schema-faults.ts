import type { FieldError } from '@svc/contract/errors';
import { fieldsOf, isObject, type JsonSchema } from './check.ts';
import { Effort } from './effort.ts';
import { Faults, Location, maxFaults } from './faults.ts';
import { keywordRules, Survey } from './keyword-rules.ts';
import { keywordShapes, unsupportedKeywords } from './keyword-shapes.ts';

const maxDepth = 100;

/**
 * At most twenty reasons why a schema is unusable; empty when it is usable. An unsupported keyword is one of them, because
 * it would otherwise be ignored silently. Paths start at the schema.
 */
export function findSchemaFaults(schema: JsonSchema): FieldError[] {
  const faults = new Faults(maxFaults, new Effort(Infinity));
  const top = new Location(faults);
  if (isNestedTooDeep(schema)) top.add(`must not be nested more than ${maxDepth} levels deep`);
  else {
    const survey = new Survey(schema);
    lookAt(schema, top, survey);
    // Most targets were checked already, but a reference may point to a location where no schema is expected.
    for (const { referred, location } of survey.references) lookAt(referred, location, survey);
  }
  return faults.list();
}

function lookAt(schema: unknown, location: Location, survey: Survey): void {
  if (typeof schema === 'boolean' || location.faults.isFull || survey.seen.has(schema)) return;
  if (!isObject(schema)) return location.add('must be a schema');
  survey.seen.add(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    const at = location.within(keyword);
    if (unsupportedKeywords.has(keyword)) at.add('is not supported');
    const shape = Object.hasOwn(keywordShapes, keyword) ? keywordShapes[keyword] : undefined;
    if (!shape) continue;
    if (!shape.fits(value)) {
      at.add(shape.message);
      continue;
    }
    keywordRules[keyword]?.(schema, at, survey);
    if (shape.holds === 'one' && !Array.isArray(value)) lookAt(value, at, survey);
    else if (shape.holds) lookAtEach(keyword, value, at, survey);
  }
}

function lookAtEach(keyword: string, schemas: unknown, location: Location, survey: Survey): void {
  const entries = Array.isArray(schemas) ? schemas.entries() : Object.entries(fieldsOf(schemas));
  for (const [name, schema] of entries) {
    const areNames = keyword === 'dependencies' && Array.isArray(schema);
    if (!areNames) lookAt(schema, location.within(name), survey);
  }
}

function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
