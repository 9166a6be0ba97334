import type { Field, FieldKind } from './schema-fields.ts';

/** How a field with this value is edited: as its schema says, unless that would hide or change the value. */
export function fittingKind(field: Pick<Field, 'kind' | 'schema'>, value: unknown): FieldKind {
  if (value === undefined || value === null || isShown(field, value)) return field.kind;
  return field.kind === 'text' && typeof value === 'string' ? 'long-text' : 'json';
}

function isShown({ kind, schema }: Pick<Field, 'kind' | 'schema'>, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && isLine(value);
    case 'long-text':
      return typeof value === 'string';
    case 'number':
    case 'boolean':
      return typeof value === kind;
    case 'choice':
      return schema.enum?.includes(value) ?? false;
    case 'list':
      return Array.isArray(value) && value.every((entry) => typeof entry === 'number' || isLine(entry));
    case 'map':
      return isObject(value) && Object.values(value).every(isLine);
    case 'object':
      return isObject(value);
    case 'secret':
    case 'json':
      return true;
  }
}

function isLine(value: unknown): boolean {
  return typeof value === 'string' && !/[\r\n]/.test(value);
}

/** Not an instance of a class, such as UnreadableJson. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
