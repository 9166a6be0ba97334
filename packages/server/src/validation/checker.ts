import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { AppError } from '../app-error.ts';
import { toFieldErrors } from './field-errors.ts';

/** A validator for JSON Schemas of our own. Bodies are never coerced; queries, being text, are. */
export function createAjv({ coerce }: { coerce: boolean }): Ajv {
  const ajv = new Ajv({
    coerceTypes: coerce,
    removeAdditional: false,
    useDefaults: false,
    allErrors: true,
    verbose: true,
    strict: false,
  });
  addFormats.default(ajv, ['uuid', 'date-time']);
  ajv.addFormat('http-url', isHttpUrl);
  ajv.addKeyword({
    keyword: 'x-max-json-bytes',
    validate: (limit: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limit,
  });
  return ajv;
}

/** Throws what is wrong with a value, by field, or returns it typed. */
export type Check<Value> = (value: unknown, path: string) => Value;

/** Compiled when it is first used: a start does not pay for every schema there is. */
export function compileCheck<Value>(schema: object): Check<Value> {
  let validate: ValidateFunction<Value> | undefined;
  return (value, path) => {
    validate ??= createAjv({ coerce: false }).compile<Value>(schema);
    if (validate(value)) return value;
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

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}
