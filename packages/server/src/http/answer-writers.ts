import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type Write = ReturnType<ReturnType<SerializerFactory>>;
type NamedSchemas = Record<string, unknown>;

/**
 * What turns answers into text, built when it is first needed: building one for every status of every route took two
 * thirds of the time of a start. What is only a reference to a named schema shares one.
 */
export const buildAnswerWriters: SerializerFactory = (namedSchemas, options) => {
  const byReference = new Map<string, Write>();
  return (route) => {
    const { $ref: reference } = route.schema as { $ref?: string };
    const known = reference === undefined ? undefined : byReference.get(reference);
    if (known) return known;
    let write: Write | undefined;
    const writeLater: Write = (answer) => {
      // Every named schema that is given is checked first, each time: ten times the work of building most writers.
      write ??= SerializerSelector()(referredTo(route.schema, namedSchemas as NamedSchemas), options)(route);
      return write(answer);
    };
    if (reference !== undefined) byReference.set(reference, writeLater);
    return writeLater;
  };
};

/** The named schemas that a schema needs, directly or through each other. */
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
 * A union of events is written as it is: to choose a member, a writer would validate each value against one after another,
 * and what was stored by an older version may fit none.
 */
function isUnion(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'discriminator' in schema;
}
