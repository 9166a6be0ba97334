import type { Static, TObject } from 'typebox';

/** JSON Schema of a function's arguments: the protocol's schema, with texts for models, and no other fields. */
export interface Parameters {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

/** The schema of an operation's arguments, with a text for each of them. */
export function describeParameters<Schema extends TObject>(
  schema: Schema,
  texts: Record<keyof Static<Schema> & string, string>,
): Parameters {
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    { ...property, description: (texts as Record<string, string>)[name] },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, object>,
    required: schema.required ?? [],
    additionalProperties: false,
  };
}

/** The same schema for arguments in which a field keeps its value, or stays away if it is not given. */
export function fixParameter(parameters: Parameters, name: string, value: unknown): Parameters {
  const { [name]: schema, ...others } = parameters.properties;
  if (value === undefined) return { ...parameters, properties: others };
  return {
    ...parameters,
    properties: { [name]: { ...schema, const: value }, ...others },
    required: [...new Set([...parameters.required, name])],
  };
}
