import { ApiError } from '@svc/client/api-error';
import { type FieldSchema, type FormValue, fieldOf, groupsOf, shownValue } from './schema-fields.ts';
import { UnreadableJson } from './unreadable-json.ts';

/** What is wrong with each field, by its path below `prefix`, as the service reported it. */
export function fieldErrors(error: unknown, prefix = ''): Map<string, string> {
  const details = error instanceof ApiError ? error.details : [];
  return new Map(
    details.flatMap(({ path, message }) => {
      if (path === undefined || message === undefined) return [];
      if (prefix === '') return [[path, message] as const];
      return path.startsWith(`${prefix}.`) ? [[path.slice(prefix.length + 1), message] as const] : [];
    }),
  );
}

/** Those of the entries of one field. */
export function errorsBelow(errors: ReadonlyMap<string, string>, name: string): Map<string, string> {
  return new Map(
    [...errors].flatMap(([path, message]) =>
      path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), message] as const] : [],
    ),
  );
}

/** What can be seen to be wrong without asking the service. Secrets that are stored already count as given. */
export function findFaults(
  schema: FieldSchema,
  value: FormValue,
  stored: readonly string[] = [],
): Map<string, string> {
  // What is not shown is not sent either.
  const faults = findUnreadable(shownValue(schema, value));
  for (const { name, isRequired, schema: field } of groupsOf(schema, value).flatMap(({ fields }) => fields)) {
    const given = fieldOf(value, name);
    if (faults.has(name)) continue;
    if (isRequired && isBlank(given) && field.default === undefined && !stored.includes(name))
      faults.set(name, 'is required');
  }
  return faults;
}

/** JSON that cannot be read, in the fields and in those of objects among them. */
export function findUnreadable(value: FormValue, path = ''): Map<string, string> {
  return new Map(
    Object.entries(value).flatMap(([name, given]) => {
      if (given instanceof UnreadableJson) return [[`${path}${name}`, given.reason] as const];
      const isForm = typeof given === 'object' && given !== null && !Array.isArray(given);
      return isForm ? [...findUnreadable(given as FormValue, `${path}${name}.`)] : [];
    }),
  );
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
