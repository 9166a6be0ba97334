import type { FieldError } from '@svc/contract/errors';
import { fieldsOf, isObject, type JsonSchema, type Keywords } from './check.ts';
import { Effort } from './effort.ts';
import { Faults, Location, maxFaults } from './faults.ts';
import { keywordShapes, unsupportedKeywords } from './keyword-shapes.ts';
import { maxPatternUnits, patternUnits, readPattern } from './pattern.ts';
import { findReferred } from './reference.ts';

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

/** One pass over a whole schema. */
class Survey {
  readonly root: JsonSchema;
  readonly seen = new Set<unknown>();
  /** What is wrong with each, if anything. */
  readonly patterns = new Map<string, string | undefined>();
  readonly #referred = new Map<string, unknown>();
  readonly references: { referred: unknown; location: Location }[] = [];
  patternUnitsLeft = maxPatternUnits;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  /** Resolved once per reference, because a path through a schema can be long. */
  findReferred(reference: string): unknown {
    if (!this.#referred.has(reference)) this.#referred.set(reference, findReferred(reference, this.root));
    return this.#referred.get(reference);
  }
}

type Rule = (schema: Keywords, location: Location, survey: Survey) => void;

/** Rules of some keywords beyond the shape of their value. */
const keywordRules: Readonly<Record<string, Rule>> = {
  pattern: ({ pattern }, location, survey) => checkPattern(String(pattern), location, survey),

  patternProperties({ patternProperties }, location, survey) {
    for (const pattern of Object.keys(fieldsOf(patternProperties))) {
      checkPattern(pattern, location.within(pattern), survey);
    }
  },

  $id(schema, location, { root }) {
    if (schema !== root) location.add('is supported at the top only');
  },

  additionalItems({ items }, location) {
    // Beside a schema for all entries, generators write it for nothing: draft 7 says that it is ignored.
    if (items === undefined) location.add('has no effect unless items is a list');
  },

  prefixItems({ items }, location) {
    if (Array.isArray(items)) location.add('cannot stand beside a list of items');
  },

  $ref(schema, location, survey) {
    const { root, references } = survey;
    const referred = survey.findReferred(String(schema['$ref']));
    if (!isObject(referred) && typeof referred !== 'boolean') {
      return location.add('must refer to a part of this schema, as #/$defs/name does');
    }
    references.push({ referred, location });
    if (leadsNowhere(schema, survey)) location.add('leads from one reference to the next, or to itself');
    const beside = Object.keys(schema).find(isIgnoredBesideReference);
    if (beside !== undefined && isOldDraft(root)) {
      location.add(`cannot stand beside ${beside}, which drafts before 2019-09 ignore there`);
    }
  },
};

function checkPattern(pattern: string, location: Location, survey: Survey): void {
  const { patterns } = survey;
  if (!patterns.has(pattern)) patterns.set(pattern, patternFault(pattern, survey));
  const fault = patterns.get(pattern);
  if (fault !== undefined) location.add(fault);
}

/** Compiling regular expressions takes time, so all patterns of a schema share one limit. */
function patternFault(pattern: string, survey: Survey): string | undefined {
  survey.patternUnitsLeft -= patternUnits(pattern);
  if (survey.patternUnitsLeft < 0)
    return 'is too long: there is a limit for all patterns of a schema together';
  return readPattern(pattern) ? undefined : 'is not a regular expression';
}

function isOldDraft(root: JsonSchema): boolean {
  const draft = isObject(root) ? root['$schema'] : undefined;
  return typeof draft === 'string' && /draft-0[3-7]/.test(draft);
}

const harmlessBesideReference = new Set(['$ref', '$defs', 'definitions', '$schema', '$id']);
const isIgnoredBesideReference = (keyword: string) =>
  Object.hasOwn(keywordShapes, keyword) && !harmlessBesideReference.has(keyword);

const maxHops = 20;

function leadsNowhere(schema: Keywords, survey: Survey): boolean {
  let at: unknown = schema;
  for (let hops = 0; isObject(at) && typeof at['$ref'] === 'string'; hops += 1) {
    if (hops === maxHops) return true;
    at = survey.findReferred(at['$ref']);
  }
  return false;
}
