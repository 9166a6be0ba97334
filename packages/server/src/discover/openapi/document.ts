import { load } from 'js-yaml';
import { invalid } from '../../lib/app-error.ts';
import { isObject } from '../../validation/json-schema/check.ts';
import { guardText } from '../../validation/text-guard.ts';
import { tooMuchJson } from './json-cost.ts';

export type JsonObject = Record<string, unknown>;

export interface OpenApiDocument extends JsonObject {
  paths: JsonObject;
}

/** Five times the values of GitHub's 13 MB document. Walking over as many takes two seconds and at most 600 MB. */
const limits = { values: 4_000_000, depth: 64 };

const isJson = (text: string) => /^\s*\{/.test(text);

/** A quick test whether a text is worth parsing as a document of OpenAPI 3 or Swagger 2.0. */
export function claimsToBeOpenApi(text: string): boolean {
  return isJson(text)
    ? /"openapi"\s*:\s*"3\.|"swagger"\s*:\s*"2\./.test(text)
    : /^["']?(openapi["']?\s*:\s*["']?3|swagger["']?\s*:\s*["']?2)\./m.test(text);
}

/** Undefined when the text is neither. Throws for a broken one. */
export function parseDocument(text: string, field: string): OpenApiDocument | undefined {
  if (!claimsToBeOpenApi(text)) return undefined;
  const tooMuch = isJson(text) ? tooMuchJson(text, limits) : undefined;
  if (tooMuch) throw invalid(field, tooMuch);
  const read = isJson(text) ? readJson(text) : readYaml(text);
  // A page about OpenAPI that quotes part of a document is prose.
  const isQuoted = !isJson(text) && !/^["']?(openapi|swagger)/.test(firstLine(text));
  if ('fault' in read && isQuoted) return undefined;
  if ('fault' in read) throw invalid(field, `is not valid ${isJson(text) ? 'JSON' : 'YAML'}: ${read.fault}`);
  const document = read.value;
  if (!isObject(document)) return undefined;
  if (!isSwagger2(document) && !String(document['openapi']).startsWith('3.')) return undefined;
  // YAML aliases can expand a few characters to any number of values.
  guardText(document, field, limits);
  if (!isObject(document['paths'])) throw invalid(field, 'is an OpenAPI document without paths.');
  return { ...document, paths: document['paths'] };
}

export function isSwagger2(document: JsonObject): boolean {
  // YAML may read 2.0 as a number.
  return /^2(\.|$)/.test(String(document['swagger']));
}

/** The first line that is not empty, a comment or a directive. */
function firstLine(text: string): string {
  const lines = text.slice(0, 100_000).split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !/^(#|---|%YAML)/.test(line)) ?? '';
}

type ReadText = { value: unknown } | { fault: string };

function readJson(text: string): ReadText {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function readYaml(text: string): ReadText {
  try {
    return { value: load(text) };
  } catch (error) {
    return { fault: (error as Error).message.split('\n')[0] ?? '' };
  }
}

/** Follows references inside the document; undefined for one that leads nowhere or outside. */
export function createResolve(document: JsonObject): (value: unknown) => JsonObject | undefined {
  return (value) => {
    let found = value;
    for (let hops = 0; isObject(found) && typeof found['$ref'] === 'string'; hops += 1) {
      if (hops > 20) return undefined;
      found = at(document, found['$ref']);
    }
    return isObject(found) ? found : undefined;
  };
}

export type Resolve = ReturnType<typeof createResolve>;

function at(document: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = document;
  for (const part of reference.slice(2).split('/')) {
    const name = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as JsonObject)[name];
  }
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A literal percent sign.
    return part;
  }
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
