import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type Write = ReturnType<ReturnType<SerializerFactory>>;

/**
 * What turns answers into text, built when it is first needed: building one for every status of every route took two
 * thirds of the time of a start. What is only a reference to a named schema shares one.
 */
export const buildAnswerWriters: SerializerFactory = (namedSchemas, options) => {
  const build = SerializerSelector()(namedSchemas, options);
  const byReference = new Map<string, Write>();
  return (route) => {
    const { $ref: reference } = route.schema as { $ref?: string };
    const known = reference === undefined ? undefined : byReference.get(reference);
    if (known) return known;
    let write: Write | undefined;
    const writeLater: Write = (answer) => {
      write ??= build(route);
      return write(answer);
    };
    if (reference !== undefined) byReference.set(reference, writeLater);
    return writeLater;
  };
};
