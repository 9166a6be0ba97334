import { type Static, type TOptional, type TProperties, type TSchema, Type } from 'typebox';
import { type ErrorCode, errorCodes } from './errors.ts';

export const Uuid = Type.String({ format: 'uuid', examples: ['0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90'] });
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-15T09:30:00.000Z'] });

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** What usage cost. */
export const knownCost = {
  cost_usd: Nullable(
    Type.String({ description: 'As far as prices are known; null if none of it has a known price.' }),
  ),
  unpriced_models: Type.Array(Type.String(), {
    description: 'Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`.',
  }),
};

export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

/** One of these strings. */
export function OneOf<Values extends string[]>(
  values: readonly [...Values],
  options: { description?: string } = {},
) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

/** An object in a write body: unknown fields are refused. */
export function Strict<Properties extends TProperties>(properties: Properties, options: object = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** The same fields, none of them required. */
export function AllOptional<Properties extends TProperties>(properties: Properties) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as { [Name in keyof Properties]: TOptional<Properties[Name]> };
}

/** Fields that a caller may send back as it read them: accepted in a write, and ignored. */
export function ReadOnly<Name extends string>(names: readonly Name[]) {
  const field = Type.Optional(Type.Unsafe<unknown>({ readOnly: true, description: 'Read-only: ignored.' }));
  return Object.fromEntries(names.map((name) => [name, field])) as Record<Name, typeof field>;
}

/** Of a text that must say something. */
export const notBlank = { pattern: '\\S', 'x-expected': 'a text that is not blank' } as const;

export const metadataLimitBytes = 8192;

/**
 * The caller's own data. `x-error-code` makes every error inside it METADATA_INVALID instead of VALIDATION_FAILED;
 * `x-max-json-bytes` limits its compact JSON.
 */
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  description: "The caller's own data: string values, at most 8,192 bytes as compact JSON.",
  additionalProperties: { type: 'string', 'x-error-code': 'METADATA_INVALID' },
  'x-error-code': 'METADATA_INVALID',
  'x-max-json-bytes': metadataLimitBytes,
  examples: [{ customer: 'acme', tier: 'gold' }],
});

/** `?metadata.<key>=<value>`, any number of them. */
export const MetadataFilter = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: false,
  // The pattern validates; the property is for the OpenAPI document, which cannot show patterns.
  properties: {
    'metadata.<key>': { type: 'string', description: 'Only those whose metadata has this value.' },
  },
  patternProperties: { '^metadata\\..+$': { type: 'string' } },
});

export const IdParams = Type.Object({ id: Uuid });
export const Created = Type.Object({ id: Uuid });
export const Message = Type.Object({ message: Type.String({ examples: ['Saved.'] }) });
export type Message = Static<typeof Message>;

export const ErrorBody = Type.Object(
  {
    success: Type.Literal(false),
    code: OneOf(Object.keys(errorCodes) as ErrorCode[]),
    message: Type.String({ description: 'One plain sentence.' }),
    details: Type.Optional(
      Type.Array(AnyObject, {
        description: 'Where it helps; for a validation error one { path, message } per field.',
      }),
    ),
    request_id: Type.String(),
  },
  {
    $id: 'Error',
    examples: [
      {
        success: false,
        code: 'VALIDATION_FAILED',
        message: 'name must be a string.',
        details: [{ path: 'name', message: 'must be a string' }],
        request_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
      },
    ],
  },
);
export type ErrorBody = Static<typeof ErrorBody>;
