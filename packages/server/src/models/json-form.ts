import type { Static, TSchema } from 'typebox';
import { AppError } from '../lib/app-error.ts';
import { createSchemaCompiler } from '../validation/compile-schema.ts';
import { toFieldErrors } from '../validation/field-errors.ts';

export interface JsonLimits {
  maxOutputTokens: number;
  maxCharacters: number;
  /** How often the model may correct its answer; once if omitted. */
  repairs?: number;
}

/** What an answer must look like, and how much is spent on getting one. */
export interface JsonForm<Written> extends Required<JsonLimits> {
  /** Throws VALIDATION_FAILED, with every fault by its path. */
  check(value: unknown): Written;
}

/** Made once per question: the schema is compiled when the first answer comes. */
export function jsonForm<Schema extends TSchema>(
  schema: Schema,
  limits: JsonLimits,
): JsonForm<Static<Schema>> {
  const validate = createSchemaCompiler({ coerce: false })(schema);
  return {
    repairs: 1,
    ...limits,
    check(value) {
      if (validate(value)) return value as Static<Schema>;
      const details = toFieldErrors(validate.errors ?? []);
      const { path = '', message = 'does not fit' } = details[0] ?? {};
      throw new AppError('VALIDATION_FAILED', { message: `${path || 'The answer'} ${message}.`, details });
    },
  };
}
