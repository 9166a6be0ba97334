import { isObject } from '../../validation/json-schema/check.ts';
import { TooMuchWork } from '../../validation/json-schema/effort.ts';
import { findFaults } from '../../validation/json-schema/find-faults.ts';
import { type JsonObject, listOf, type Resolve } from './document.ts';
import { type Losses, ownKeywords, shortDescription } from './plain-keywords.ts';

const maxNodes = 2_000;

export interface Inlining {
  resolve: Resolve;
  maxDepth: number;
  losses: Losses;
}

/**
 * Makes one JSON Schema without references, for requests. Where a schema refers back to itself, or is nested deeper than
 * `maxDepth`, any value is allowed.
 */
export function inlineSchema(schema: unknown, { resolve, maxDepth, losses }: Inlining): JsonObject {
  let nodesLeft = maxNodes;

  function inline(given: unknown, open: readonly JsonObject[]): JsonObject {
    return withKnownRequired(inlinePart(given, open));
  }

  function inlinePart(given: unknown, open: readonly JsonObject[]): JsonObject {
    nodesLeft -= 1;
    const own = resolve(given);
    if (!own || open.includes(own) || open.length >= maxDepth || nodesLeft < 0) {
      losses.lose();
      return {};
    }
    const inner = [...open, own];
    const made: JsonObject = {};
    for (const part of listOf(own['allOf'])) merge(made, inlinePart(part, inner));
    merge(made, ownKeywords(own, losses));
    // The description next to a reference describes this use of it.
    if (isObject(given) && typeof given['description'] === 'string') {
      made['description'] = shortDescription(given['description']);
    }
    if (isObject(own['properties'])) {
      made['type'] ??= 'object';
      merge(made, { properties: inlineProperties(own['properties'], inner) });
    }
    for (const keyword of ['items', 'additionalProperties'] as const) {
      const value = own[keyword];
      if (isObject(value)) made[keyword] = inline(value, inner);
      else if (typeof value === 'boolean') made[keyword] = value;
      else if (value !== undefined) losses.lose(keyword);
    }
    addAlternatives(made, own, inner);
    return withDefault(own['nullable'] === true ? nullable(made) : made, own);
  }

  function addAlternatives(made: JsonObject, own: JsonObject, open: readonly JsonObject[]): void {
    for (const keyword of ['anyOf', 'oneOf', 'prefixItems'] as const) {
      const before = losses.count;
      const parts = listOf(own[keyword]).map((part) => inline(part, open));
      // Incomplete alternatives may overlap, so any match is enough.
      const isLoose = keyword === 'oneOf' && losses.count > before && made['anyOf'] === undefined;
      if (parts.length > 0) made[isLoose ? 'anyOf' : keyword] = parts;
    }
    if (!isObject(own['not'])) return;
    const before = losses.count;
    const refused = inline(own['not'], open);
    // An incomplete negation would refuse too much.
    if (losses.count === before) made['not'] = refused;
    else losses.lose('not');
  }

  /** Read-only properties are not sent. */
  function inlineProperties(properties: JsonObject, open: readonly JsonObject[]): JsonObject {
    const kept = Object.entries(properties).filter(([, part]) => resolve(part)?.['readOnly'] !== true);
    return Object.fromEntries(kept.map(([name, part]) => [name, inline(part, open)]));
  }

  return inline(schema, []);
}

function merge(target: JsonObject, part: JsonObject): void {
  const properties = isObject(target['properties']) ? target['properties'] : {};
  const required = new Set([...listOf(target['required']), ...listOf(part['required'])]);
  Object.assign(target, part);
  if (isObject(part['properties'])) target['properties'] = { ...properties, ...part['properties'] };
  if (required.size > 0) target['required'] = [...required];
}

/** Parts of an allOf may require each other's properties, so only those that no part has are dropped from `required`. */
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
 * Some documents have defaults that violate their own schema and would break every call. The server knows its defaults
 * anyway, so only those that are cheap to check are kept.
 */
function withDefault(schema: JsonObject, { default: value }: JsonObject): JsonObject {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  const isIntricate = ['pattern', 'anyOf', 'oneOf', 'not'].some((keyword) => keyword in schema);
  return isPlain && !isIntricate && fitsCheaply(schema, value) ? { ...schema, default: value } : schema;
}

function fitsCheaply(schema: JsonObject, value: unknown): boolean {
  try {
    return findFaults(schema, value, { units: 5_000, matches: () => false }).length === 0;
  } catch (error) {
    if (error instanceof TooMuchWork) return false;
    throw error;
  }
}
