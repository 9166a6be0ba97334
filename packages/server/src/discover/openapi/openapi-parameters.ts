import { isConnectionHeader } from '../../egress/request-headers.ts';
import { isObject } from '../../validation/json-schema/check.ts';
import { type JsonObject, listOf, type Resolve, textOf } from './document.ts';
import { addParameter, leaveOutCredential, type RequestParts } from './request-parts.ts';
import { type Inlining, inlineSchema } from './schema.ts';

interface Parameter {
  name: string;
  place: string;
  isRequired: boolean;
  style: string;
  isExploded: boolean;
  /** Sent as JSON text. */
  isJson: boolean;
  schema: JsonObject;
}

/** OpenAPI describes these by media types and security schemes instead. */
const leftOut = ['accept', 'content-type', 'authorization'];
/** More than any tool accepts. */
export const maxParameters = 200;
export const separators: Record<string, string> = { spaceDelimited: ' ', pipeDelimited: '|' };

/** Adds the operation's parameters where they are sent. */
export function addParameters(
  parts: RequestParts,
  levels: readonly JsonObject[],
  resolve: Resolve,
  maxDepth: number,
): void {
  const byPlace = new Map<string, Parameter>();
  for (const level of levels) {
    const entries = listOf(level['parameters']);
    if (entries.length > maxParameters)
      parts.notes.push(`Only the first ${maxParameters} parameters are read.`);
    for (const entry of entries.slice(0, maxParameters)) {
      const found = readParameter(resolve(entry), { resolve, maxDepth, losses: parts.losses });
      if (found && found.place !== 'path' && leaveOutCredential(parts, described(found))) continue;
      if (found) byPlace.set(`${found.place} ${found.name}`, found);
      else parts.notes.push('One parameter cannot be read and was left out.');
    }
  }
  for (const parameter of byPlace.values()) if (parameter.place === 'path') addToPath(parts, parameter);
  addUndeclared(parts);
  for (const parameter of byPlace.values()) {
    if (parameter.place === 'query') addToQuery(parts, parameter);
    if (parameter.place === 'header') addToHeaders(parts, parameter);
    if (parameter.place === 'cookie') parts.notes.push(`The cookie ${parameter.name} cannot be sent.`);
  }
}

const described = ({ name, schema }: Parameter) => ({ name, description: textOf(schema['description']) });

function readParameter(given: JsonObject | undefined, inlining: Inlining): Parameter | undefined {
  const name = textOf(given?.['name']);
  const place = textOf(given?.['in']);
  if (!given || !name || !place) return undefined;
  const content = isObject(given['content']) ? Object.values(given['content'])[0] : undefined;
  const schema = inlineSchema(isObject(content) ? content['schema'] : given['schema'], inlining);
  const description = textOf(given['description']).slice(0, 1000).toWellFormed();
  const style = textOf(given['style']) || (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  return {
    name,
    place,
    isRequired: place === 'path' || given['required'] === true,
    style,
    isExploded: typeof given['explode'] === 'boolean' ? given['explode'] : style === 'form',
    isJson: content !== undefined,
    schema: { ...schema, ...(description && { description }) },
  };
}

function addToPath(parts: RequestParts, parameter: Parameter): void {
  if (!parts.path.includes(`{${parameter.name}}`)) return;
  const placeholder = addParameter(parts, { ...parameter, schema: asText(parameter, ',') });
  parts.path = parts.path.replaceAll(`{${parameter.name}}`, () => placeholder);
}

/** Adds the path variables that no parameter describes. */
function addUndeclared(parts: RequestParts): void {
  parts.path = parts.path.replaceAll(/(?<!\{)\{([^{}]+)\}(?!\})/g, (_whole, name: string) => {
    parts.notes.push(`The document does not describe {${name}} of the path.`);
    return addParameter(parts, { name, schema: { type: 'string' }, isRequired: true, place: 'path' });
  });
}

function addToQuery(parts: RequestParts, parameter: Parameter): void {
  const { name, schema, style, isExploded, isJson, isRequired } = parameter;
  const add = (as: string, part: JsonObject, needed: boolean) => {
    parts.query[as] = addParameter(parts, { name: as, schema: part, isRequired: needed, place: 'query' });
  };
  const fields = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const isSplit = style === 'deepObject' || (style === 'form' && isExploded);
  const isNested = fields.some(([, part]) => isObject(part) && (isStructured(part) || isOpen(part)));
  // Plain fields become parameters of their own below; whatever may be deeper is written with brackets when it is sent.
  if (style === 'deepObject' && !isJson && (fields.length === 0 || isNested)) {
    parts.deepObjects.push(name);
    return add(name, schema, isRequired);
  }
  if (isJson || !isStructured(schema)) return add(name, schema, isRequired);
  if (fields.length > 0 && isSplit) {
    const needed = listOf(schema['required']);
    for (const [field, part] of fields) {
      const as = style === 'deepObject' ? `${name}[${field}]` : field;
      add(
        as,
        asText({ ...parameter, schema: isObject(part) ? part : {} }, ','),
        isRequired && needed.includes(field),
      );
    }
    return;
  }
  if (isArray(schema) && isExploded) {
    parts.notes.push(`${name} takes several values in the query; the tool sends one.`);
    return add(name, isObject(schema['items']) ? withDescription(schema['items'], schema) : {}, isRequired);
  }
  add(name, asText(parameter, separators[style] ?? ','), isRequired);
}

function addToHeaders(parts: RequestParts, parameter: Parameter): void {
  const { name } = parameter;
  if (leftOut.includes(name.toLowerCase())) return;
  if (isConnectionHeader(name)) {
    parts.notes.push(`The header ${name} is set by the connection itself.`);
    return;
  }
  const schema = parameter.isJson ? parameter.schema : asText(parameter, ',');
  parts.headers[name] = addParameter(parts, { ...parameter, schema });
}

/** Outside a body, a list or an object is sent as one string. */
export function asText({ schema }: Pick<Parameter, 'schema'>, separator: string): JsonObject {
  if (!isStructured(schema)) return schema;
  const form = isArray(schema)
    ? `Several values, separated by "${separator}".`
    : `Names and values in turn, separated by "${separator}".`;
  return { type: 'string', description: [textOf(schema['description']), form].filter(Boolean).join(' ') };
}

function withDescription(schema: JsonObject, { description }: JsonObject): JsonObject {
  return description === undefined ? schema : { ...schema, description };
}

/** It may be an object as well. */
const isOpen = (schema: JsonObject) => ['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema);
const isArray = ({ type }: JsonObject) => [type].flat().includes('array');
const isStructured = (schema: JsonObject) => isArray(schema) || [schema['type']].flat().includes('object');
