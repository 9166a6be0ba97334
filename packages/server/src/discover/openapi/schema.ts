import { isObject } from '../../validation/json-schema/keywords.ts';
import { isPattern } from '../../validation/json-schema/pattern.ts';
import { validateJson } from '../../validation/json-schema/validate-json.ts';
import { type JsonObject, listOf, type Resolve } from './document.ts';

/** Keywords that are taken over as they are. The rest (examples, xml, extensions) says nothing to a model. */
const plain = [
  'enum',
  'const',
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
const knownTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const mostNodes = 2_000;
const mostDescription = 1_000;

/**
 * A schema of the document as one JSON Schema without references, for what is sent. Recursion ends where a schema
 * comes back to itself, and everything ends at a depth: there, any value is let through.
 */
export function inlineSchema(schema: unknown, resolve: Resolve, deepest: number): JsonObject {
  let nodesLeft = mostNodes;

  function inline(given: unknown, open: readonly JsonObject[]): JsonObject {
    return withKnownRequired(inlinePart(given, open));
  }

  function inlinePart(given: unknown, open: readonly JsonObject[]): JsonObject {
    nodesLeft -= 1;
    const own = resolve(given);
    if (!own || open.includes(own) || open.length >= deepest || nodesLeft < 0) return {};
    const inner = [...open, own];
    const made: JsonObject = {};
    for (const part of listOf(own['allOf'])) merge(made, inlinePart(part, inner));
    merge(made, ownKeywords(own));
    // The description beside a reference is about this use of it.
    if (isObject(given) && typeof given['description'] === 'string') {
      made['description'] = given['description'].slice(0, mostDescription);
    }
    if (isObject(own['properties'])) {
      made['type'] ??= 'object';
      merge(made, { properties: inlineProperties(own['properties'], inner) });
    }
    for (const keyword of ['items', 'not', 'additionalProperties'] as const) {
      const value = own[keyword];
      if (isObject(value)) made[keyword] = inline(value, inner);
      else if (typeof value === 'boolean' && keyword === 'additionalProperties') made[keyword] = value;
    }
    for (const keyword of ['anyOf', 'oneOf', 'prefixItems'] as const) {
      if (Array.isArray(own[keyword])) made[keyword] = own[keyword].map((part) => inline(part, inner));
    }
    return withDefault(own['nullable'] === true ? nullable(made) : made, own);
  }

  /** What the server alone sets is not for a request. */
  function inlineProperties(properties: JsonObject, open: readonly JsonObject[]): JsonObject {
    const kept = Object.entries(properties).filter(([, part]) => resolve(part)?.['readOnly'] !== true);
    return Object.fromEntries(kept.map(([name, part]) => [name, inline(part, open)]));
  }

  return inline(schema, []);
}

function ownKeywords(own: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const keyword of plain) if (own[keyword] !== undefined) made[keyword] = own[keyword];
  const { description, pattern, required, type } = own;
  const types = [type].flat().filter((name) => typeof name === 'string' && knownTypes.includes(name));
  if (types.length > 0) made['type'] = types.length === 1 ? types[0] : types;
  if (typeof description === 'string') made['description'] = description.slice(0, mostDescription);
  if (typeof pattern === 'string' && isPattern(pattern)) made['pattern'] = pattern;
  if (Array.isArray(required)) made['required'] = required.filter((name) => typeof name === 'string');
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    // A number since OpenAPI 3.1; before, a word on the limit beside it.
    if (typeof own[exclusive] === 'number') made[exclusive] = own[exclusive];
    if (own[exclusive] !== true || typeof own[limit] !== 'number') continue;
    made[exclusive] = own[limit];
    delete made[limit];
  }
  return made;
}

function merge(target: JsonObject, part: JsonObject): void {
  const properties = isObject(target['properties']) ? target['properties'] : {};
  const required = new Set([...listOf(target['required']), ...listOf(part['required'])]);
  Object.assign(target, part);
  if (isObject(part['properties'])) target['properties'] = { ...properties, ...part['properties'] };
  if (required.size > 0) target['required'] = [...required];
}

/** The parts of an allOf may require what another part has; what nobody has (any more) can not be required. */
function withKnownRequired(schema: JsonObject): JsonObject {
  const { properties, required, ...rest } = schema;
  if (!isObject(properties)) return schema;
  const known = listOf(required).filter((name) => Object.hasOwn(properties, String(name)));
  return { ...rest, properties, ...(known.length > 0 && { required: known }) };
}

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: allowed } = schema;
  if (type === undefined)
    return Array.isArray(schema['oneOf']) ? { anyOf: [schema, { type: 'null' }] } : schema;
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(allowed) && { enum: [...new Set([...(allowed as unknown[]), null])] }),
  };
}

/**
 * Documents have defaults that do not fit themselves; sent along, they would spoil every call. The server knows its
 * defaults anyway, so that only those are kept that are checked at a glance: trying patterns could take very long.
 */
function withDefault(schema: JsonObject, { default: value }: JsonObject): JsonObject {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  const isIntricate = ['pattern', 'anyOf', 'oneOf', 'not'].some((keyword) => keyword in schema);
  if (!isPlain || isIntricate || validateJson(schema, value).length > 0) return schema;
  return { ...schema, default: value };
}
