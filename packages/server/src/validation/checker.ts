import type { ErrorObject } from 'ajv';
import { AppError } from '../lib/app-error.ts';
import { createSchemaCompiler } from './compile-schema.ts';
import { toFieldErrors } from './field-errors.ts';

/** Returns the value typed, or throws an error that lists what is wrong by field. */
export type Check<Value> = (value: unknown, path: string) => Value;

export function compileCheck<Value>(schema: object): Check<Value> {
  const validate = createSchemaCompiler({ coerce: false })(schema);
  return (value, path) => {
    if (validate(value)) return value as Value;
    throw validationError(validate.errors ?? [], path);
  };
}

export function validationError(errors: readonly ErrorObject[], root = ''): AppError {
  const details = toFieldErrors(errors, root);
  const first = details[0];
  const isMetadata = errors.some((error) => error.parentSchema?.['x-error-code'] === 'METADATA_INVALID');
  if (isMetadata) return new AppError('METADATA_INVALID', { details });
  const subject = first?.path || 'The body';
  return new AppError('VALIDATION_FAILED', {
    ...(first && { message: `${subject} ${first.message}.` }),
    details,
  });
}
