import { type FieldSchema, usableSchema } from '../../../kit/schema-fields.ts';

export const parameterTypes = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  other: 'As JSON Schema',
} as const;
export type ParameterType = keyof typeof parameterTypes;

/** One thing that the model fills in. */
export interface Parameter {
  name: string;
  type: ParameterType;
  isRequired: boolean;
  description: string;
  /** Everything else that its schema says. */
  rest: FieldSchema;
}

/** The parameters of a schema; undefined if it says more about the object than rows can show, or is not finished. */
export function readParameters(schema: FieldSchema | undefined): Parameter[] | undefined {
  const given = schema ?? {};
  const { type = 'object', properties = {}, required = [], additionalProperties, ...more } = given;
  if (type !== 'object' || Object.keys(more).length > 0 || typeof additionalProperties === 'object')
    return undefined;
  // What `usableSchema` leaves out has another shape than rows expect.
  const isSound = (one: unknown) => JSON.stringify(usableSchema(one)) === JSON.stringify(one);
  if (!isSound(given) || !Object.values(properties).every(isSound)) return undefined;
  return Object.entries(properties).map(([name, { type: own, description = '', ...rest }]) => {
    const isSimple = typeof own === 'string' && own !== 'other' && own in parameterTypes;
    return {
      name,
      type: isSimple ? (own as ParameterType) : 'other',
      isRequired: required.includes(name),
      description,
      rest: isSimple ? rest : { ...(own !== undefined && { type: own }), ...rest },
    };
  });
}

/** With another text that the model fills in. */
export function withParameter(schema: FieldSchema | undefined, name: string): FieldSchema {
  const { properties, required = [], ...rest } = schema ?? writeParameters([]);
  return {
    type: 'object',
    ...rest,
    properties: { ...properties, [name]: { type: 'string' } },
    required: [...required, name],
  };
}

/** Rows without a name are left out; of several with the same name, the last one counts. */
export function writeParameters(parameters: readonly Parameter[]): FieldSchema {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const named = [...byName.values()].filter(({ name }) => name !== '');
  const required = named.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ name, type, description, rest }) => [
        name,
        {
          ...(type !== 'other' && { type }),
          ...(description && { description }),
          ...rest,
        },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
