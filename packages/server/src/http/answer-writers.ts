import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type Write = ReturnType<ReturnType<SerializerFactory>>;
type NamedSchemas = Record<string, unknown>;

/**
 * Builds the serializer of an answer when it is first needed: building one for every status of every route took two
 * thirds of the start-up time. Routes that refer to the same named schema share one.
 */
export const buildAnswerWriters: SerializerFactory = (namedSchemas, options) => {
  const byReference = new Map<string, Write>();
  return (route) => {
    const { $ref: reference } = route.schema as { $ref?: string };
    const known = reference === undefined ? undefined : byReference.get(reference);
    if (known) return known;
    let write: Write | undefined;
    const writeLater: Write = (answer) => {
      // The compiler checks every named schema it is given, which costs ten times as much as building most serializers.
      write ??= SerializerSelector()(referredTo(route.schema, namedSchemas as NamedSchemas), options)(route);
      return write(answer);
    };
    if (reference !== undefined) byReference.set(reference, writeLater);
    return writeLater;
  };
};

/** The named schemas that a schema refers to, directly or indirectly. */
function referredTo(schema: unknown, named: NamedSchemas, found: NamedSchemas = {}): NamedSchemas {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref' && typeof value === 'string') {
      const name = value.replace(/#.*$/, '');
      if (name in found || !(name in named)) continue;
      found[name] = isUnion(named[name]) ? { $id: name } : named[name];
      referredTo(found[name], named, found);
    } else referredTo(value, named, found);
  }
  return found;
}

/**
 * Unions of events are written without a schema: to choose a member, the serializer would validate each value against one
 * after another, and an event that an older version stored may match none.
 */
function isUnion(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'discriminator' in schema;
}
