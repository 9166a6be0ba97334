import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type Write = ReturnType<ReturnType<SerializerFactory>>;
type NamedSchemas = Record<string, unknown>;

/** Apps of one process share their serializers: by the name of the schema, or by its text. */
const writers = new Map<string, Write>();

/**
 * Builds the serializer of an answer when it is first needed: building one for every status of every route took two
 * thirds of the start-up time. Routes with the same schema share one.
 */
export const buildAnswerWriters: SerializerFactory = (namedSchemas, options) => (route) => {
  let write: Write | undefined;
  return (answer) => {
    write ??= findOrBuild();
    return write(answer);
  };

  function findOrBuild(): Write {
    const { $ref: reference } = route.schema as { $ref?: string };
    const key = reference ?? JSON.stringify(route.schema);
    const known = writers.get(key);
    if (known) return known;
    // The compiler checks every named schema it is given, which costs ten times as much as building most serializers.
    const referred = referredTo(route.schema, namedSchemas as NamedSchemas);
    const built = SerializerSelector()(referred, options)(route);
    writers.set(key, built);
    return built;
  }
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
