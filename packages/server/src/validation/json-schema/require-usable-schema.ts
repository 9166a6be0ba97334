import { AppError } from '../../lib/app-error.ts';
import type { JsonSchema } from './check.ts';
import { findSchemaFaults } from './find-schema-faults.ts';

/** Throws VALIDATION_FAILED with everything in a schema that cannot be checked against. `path` is its field. */
export function requireUsableSchema(schema: JsonSchema, path: string): void {
  const details = findSchemaFaults(schema).map((fault) => ({
    ...fault,
    path: fault.path ? `${path}.${fault.path}` : path,
  }));
  const [first] = details;
  if (first) {
    throw new AppError('VALIDATION_FAILED', { message: `${first.path} ${first.message}.`, details });
  }
}
