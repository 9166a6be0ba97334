import { keywordShapes, unsupportedKeywords } from '../../validation/json-schema/keyword-shapes.ts';
import { maxPatternUnits, patternUnits, readPattern } from '../../validation/json-schema/pattern.ts';
import type { JsonObject } from './document.ts';

/** Keywords that are copied as they are. */
const plain = [
  'enum',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
] as const;
/** Keywords with code of their own, and those that do not restrict a value. */
const readElsewhere = new Set(
  [
    'type const pattern required nullable exclusiveMinimum exclusiveMaximum',
    'properties additionalProperties items prefixItems not allOf anyOf oneOf',
    '$ref $defs definitions $schema $id $anchor',
  ].flatMap((line) => line.split(' ')),
);
const knownTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const maxDescriptionLength = 1_000;

/** What was left out of the schemas of one operation. */
export class Losses {
  /** Keywords that tools do not support, or not with this value. */
  readonly keywords = new Set<string>();
  /** Includes whole schemas. Negations and alternatives of incomplete schemas would refuse valid values. */
  count = 0;
  #patternUnitsLeft = maxPatternUnits;

  lose(keyword?: string): void {
    this.count += 1;
    if (keyword !== undefined) this.keywords.add(keyword);
  }

  isPatternKept(pattern: string): boolean {
    const units = patternUnits(pattern);
    if (units > this.#patternUnitsLeft || !readPattern(pattern)) return false;
    this.#patternUnitsLeft -= units;
    return true;
  }
}

/** The keywords of a schema that contain no other schema. Examples, xml and extensions are dropped without a note. */
export function ownKeywords(own: JsonObject, losses: Losses): JsonObject {
  const made: JsonObject = {};
  for (const keyword of plain) {
    const value = own[keyword];
    if (value === undefined) continue;
    if (keywordShapes[keyword]?.fits(value)) made[keyword] = value;
    else losses.lose(keyword);
  }
  const { description, pattern, required, type } = own;
  if (own['const'] !== undefined) made['const'] = own['const'];
  const types = [type].flat().filter((name) => typeof name === 'string' && knownTypes.includes(name));
  if (types.length > 0) made['type'] = types.length === 1 ? types[0] : [...new Set(types)];
  if (typeof description === 'string') made['description'] = shortDescription(description);
  if (typeof pattern === 'string' && losses.isPatternKept(pattern)) made['pattern'] = pattern;
  else if (pattern !== undefined) losses.lose('pattern');
  if (Array.isArray(required)) made['required'] = required.filter((name) => typeof name === 'string');
  addExclusiveLimits(made, own);
  for (const keyword of Object.keys(own)) if (isLost(keyword)) losses.lose(keyword);
  return made;
}

export const shortDescription = (text: string) => text.slice(0, maxDescriptionLength).toWellFormed();

function addExclusiveLimits(made: JsonObject, own: JsonObject): void {
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    // A number since OpenAPI 3.1; before that, a boolean next to the limit.
    if (typeof own[exclusive] === 'number') made[exclusive] = own[exclusive];
    if (own[exclusive] !== true || typeof own[limit] !== 'number') continue;
    made[exclusive] = own[limit];
    delete made[limit];
  }
}

function isLost(keyword: string): boolean {
  const isRule = Object.hasOwn(keywordShapes, keyword) || unsupportedKeywords.has(keyword);
  return isRule && !readElsewhere.has(keyword) && !(plain as readonly string[]).includes(keyword);
}
