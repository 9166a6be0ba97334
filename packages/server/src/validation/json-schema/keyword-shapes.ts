import { isObject } from './check.ts';

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const isName = (value: unknown) => typeof value === 'string';
const isNames = (value: unknown) => Array.isArray(value) && value.every(isName);
const isFilledList = (value: unknown) => Array.isArray(value) && value.length > 0;
const isType = (value: unknown) => typeof value === 'string' && types.includes(value);
const areTypes = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.length <= types.length && value.every(isType);

export interface Shape {
  fits(value: unknown): boolean;
  message: string;
  /** The value is a schema, or holds schemas. */
  holds?: 'one' | 'each';
}

const number: Shape = { fits: Number.isFinite, message: 'must be a number' };
const count: Shape = {
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
  message: 'must be a whole number from 0',
};
const flag: Shape = { fits: (value) => typeof value === 'boolean', message: 'must be true or false' };
const text: Shape = { fits: isName, message: 'must be a string' };
const map: Shape = { fits: isObject, message: 'must be an object of schemas', holds: 'each' };
const schema: Shape = {
  fits: (value) => isObject(value) || typeof value === 'boolean',
  message: 'must be a schema',
  holds: 'one',
};
const schemas: Shape = { fits: isFilledList, message: 'must be a list of schemas', holds: 'each' };

/** The required shape of every supported keyword's value. Any other keyword is an annotation. */
export const keywordShapes: Readonly<Record<string, Shape>> = {
  type: {
    fits: (value) => isType(value) || areTypes(value),
    message: `must be one or more of ${types.join(', ')}`,
  },
  enum: { fits: Array.isArray, message: 'must be a list of values' },
  nullable: flag,
  minLength: count,
  maxLength: count,
  pattern: text,
  format: text,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: {
    fits: (value) => Number.isFinite(value) && Number(value) > 0,
    message: 'must be a number above 0',
  },
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  prefixItems: schemas,
  items: {
    fits: (value) => Array.isArray(value) || schema.fits(value),
    message: 'must be a schema or a list of schemas',
    holds: 'one',
  },
  additionalItems: schema,
  contains: schema,
  minContains: count,
  maxContains: count,
  unevaluatedItems: schema,
  required: { fits: isNames, message: 'must be a list of names' },
  properties: map,
  patternProperties: map,
  additionalProperties: schema,
  propertyNames: schema,
  minProperties: count,
  maxProperties: count,
  dependentRequired: {
    fits: (value) => isObject(value) && Object.values(value).every(isNames),
    message: 'must be an object of lists of names',
  },
  dependentSchemas: map,
  dependencies: {
    fits: (value) =>
      isObject(value) && Object.values(value).every((asked) => !Array.isArray(asked) || isNames(asked)),
    message: 'must be an object of schemas or lists of names',
    holds: 'each',
  },
  unevaluatedProperties: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
  if: schema,
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name
  then: schema,
  else: schema,
  $ref: text,
  $defs: map,
  definitions: map,
  $schema: text,
  $id: text,
};

/** These change what is valid and cannot be checked, so schemas that use them are rejected on save. */
export const unsupportedKeywords: ReadonlySet<string> = new Set([
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  'disallow',
  'divisibleBy',
  'extends',
]);
