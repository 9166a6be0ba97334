import type { FieldError } from '@svc/contract/errors';
import type { ErrorObject } from 'ajv';
import { clip } from './clip.ts';
import { counted } from './counted.ts';
import { withArticle } from './with-article.ts';

export const maxDetails = 20;
const maxPathLength = 200;

/** The validator's errors as readable messages: one per field, for no more fields than anybody would read. */
export function toFieldErrors(errors: readonly ErrorObject[], root = ''): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const error of mostSpecific(errors)) {
    if (byPath.size === maxDetails) break;
    const path = clip(joinPath(root, fieldPath(error)), maxPathLength);
    if (!byPath.has(path)) byPath.set(path, { path, message: describe(error, errors) });
  }
  return [...byPath.values()];
}

/**
 * A union reports every branch and then itself. A branch that only reports a wrong type is covered by the union; the union
 * is left out where a branch reports more.
 */
function mostSpecific(errors: readonly ErrorObject[]): ErrorObject[] {
  const unionPaths = new Set(
    errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath),
  );
  const speaking = errors.filter(
    (error) => error.keyword !== 'anyOf' && !(error.keyword === 'type' && unionPaths.has(error.instancePath)),
  );
  const explained = withParents(speaking.map((error) => error.instancePath));
  const silent = errors.filter((error) => error.keyword === 'anyOf' && !explained.has(error.instancePath));
  return [...speaking, ...silent];
}

/** The paths and all their parents. A path whose parents are known is not followed again, so many paths stay cheap. */
function withParents(paths: readonly string[]): Set<string> {
  const known = new Set<string>();
  for (const path of paths) {
    let current = path;
    while (!known.has(current)) {
      known.add(current);
      current = current.slice(0, Math.max(0, current.lastIndexOf('/')));
    }
  }
  return known;
}

function fieldPath(error: ErrorObject): string {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
  switch (error.keyword) {
    case 'required':
      return joinPath(path, String(error.params['missingProperty']));
    case 'additionalProperties':
      return joinPath(path, String(error.params['additionalProperty']));
    case 'x-later':
      return joinPath(path, (error.schema as [string, string])[1]);
    default:
      return path;
  }
}

function joinPath(left: string, right: string): string {
  if (!left || !right) return left || right;
  return `${left}.${right}`;
}

function describe(error: ErrorObject, all: readonly ErrorObject[]): string {
  const limit = error.params['limit'] as number;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'type':
      return `must be ${typesOf(error.params['type']).map(withArticle).join(' or ')}`;
    case 'enum':
      return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(error.params['allowedValue'])}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${counted(limit, 'characters')}`;
    case 'maxLength':
      return `must have at most ${counted(limit, 'characters')}`;
    case 'minItems':
      return `must have at least ${counted(limit, 'entries')}`;
    case 'maxItems':
      return `must have at most ${counted(limit, 'entries')}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'format':
      return describeFormat(String(error.params['format']));
    case 'pattern':
      return describePattern(error);
    case 'anyOf':
      return `must be ${acceptedTypes(error.instancePath, all)}`;
    case 'x-later':
      return `must be later than ${String((error.data as Record<string, unknown>)[(error.schema as [string, string])[0]])}`;
    case 'x-max-json-bytes':
      return `must be at most ${String(error.schema)} bytes as JSON`;
    default:
      return error.message ?? 'does not fit';
  }
}

function acceptedTypes(path: string, all: readonly ErrorObject[]): string {
  const types = all
    .filter((error) => error.keyword === 'type' && error.instancePath === path)
    .flatMap((error) => typesOf(error.params['type']).map(withArticle));
  return [...new Set(types)].join(' or ');
}

/** Of the validator: one type, or several with commas between them. */
function typesOf(type: unknown): string[] {
  return String(type).split(',');
}

/** Schemas say in `x-expected` what their pattern accepts, which few people read from it. */
function describePattern({ parentSchema, message = 'does not fit' }: ErrorObject): string {
  const expected: unknown = parentSchema?.['x-expected'];
  return typeof expected === 'string' ? `must be ${expected}` : message;
}

function describeFormat(format: string): string {
  switch (format) {
    case 'uuid':
      return 'must be a UUID';
    case 'date-time':
      return 'must be an RFC 3339 time';
    case 'http-url':
      return 'must be an http or https URL';
    case 'https-url':
      return 'must be an https:// address';
    default:
      return `must be a valid ${format}`;
  }
}
