import type { Approval } from '@svc/contract/approvals';
import { visibleParts } from '@svc/contract/visible-text';
import { type FieldSchema, type FormValue, kindOf } from '../../kit/schema-fields.ts';

type Asked = Pick<Approval, 'arguments' | 'arguments_schema'>;

/** Whether the arguments can be edited as fields without hiding or changing a part of them. */
export function fitsFields({ arguments: given, arguments_schema: schema }: Asked): boolean {
  const { properties = {} } = schema as FieldSchema;
  // A field would show nothing of hidden characters, and would drop some; JSON shows them escaped.
  const hasHidden = visibleParts(JSON.stringify(given)).some(({ isHidden }) => isHidden);
  return Object.keys(properties).length > 0 && !hasHidden && areShown(properties, given, 0);
}

function areShown(properties: Record<string, FieldSchema>, given: FormValue, depth: number): boolean {
  return Object.entries(given).every(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    // The schema may be that of a server of others, which must not choose what is seen.
    return schema !== undefined && !schema['x-show-when'] && isShown(schema, value, depth);
  });
}

/** Whether the field of this schema shows the value as it is, and keeps what is not edited. */
function isShown(schema: FieldSchema, value: unknown, depth: number): boolean {
  switch (kindOf(schema, depth)) {
    case 'json':
      return true;
    case 'object':
      return isObject(value) && areShown(schema.properties ?? {}, value, depth + 1);
    case 'text':
      // Texts of several lines get a field of their own, but not inside of objects.
      return typeof value === 'string' && !value.includes('\r') && (depth === 0 || !value.includes('\n'));
    case 'long-text':
      return typeof value === 'string' && !value.includes('\r');
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return schema.enum?.includes(value) ?? false;
    case 'list':
      return Array.isArray(value) && value.every((one) => isEntry(one, schema.items));
    case 'map':
      return isObject(value) && Object.values(value).every((one) => typeof one === 'string' && isLine(one));
    case 'secret':
      return false;
  }
}

/** Lists are edited as lines, without spaces around them. */
function isEntry(value: unknown, schema: FieldSchema | undefined): boolean {
  if (schema?.type === 'string')
    return typeof value === 'string' && value !== '' && value === value.trim() && isLine(value);
  return typeof value === 'number' && (schema?.type === 'number' || schema?.type === 'integer');
}

function isLine(text: string): boolean {
  return !/[\r\n]/.test(text);
}

function isObject(value: unknown): value is FormValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
