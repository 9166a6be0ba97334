import { type Static, type TSchema, Type } from 'typebox';
import { withReferences } from './named-schemas.ts';

const extension = 'x-end-user-answer';

/** The answer of an operation to account keys, and to end users. The serializer is that of the first. */
export function orForEndUsers<Full extends TSchema, Seen extends TSchema>(full: Full, seen: Seen) {
  return Type.Unsafe<Static<Full> | Static<Seen>>({ ...withReferences(full), [extension]: seen });
}

/** The answers of an operation without what end users get, which goes to the document alone. */
export function splitAnswers(answers: Record<number, TSchema>): {
  full: Record<number, object>;
  seen: object;
} {
  const { [extension]: seen, ...full } = { ...answers[200] } as Record<string, unknown>;
  if (!seen) return { full: answers, seen: {} };
  const documented = withDocumentReferences(withReferences(seen));
  return { full: { ...answers, 200: full }, seen: { [extension]: documented } };
}

/** A reference to a named schema as the finished document has it. */
function withDocumentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDocumentReferences);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      key === '$ref'
        ? `#/components/schemas/${String(entry).replace('#', '')}`
        : withDocumentReferences(entry),
    ]),
  );
}

interface Document {
  paths?: Record<string, Record<string, OperationObject>>;
}

interface OperationObject {
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
  [extension]?: object;
}

/** Describes both answers where end users get another one. */
export function withEndUserAnswers<Given extends object>(document: Given): Given {
  const { paths = {} } = document as Document;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { [extension]: seen } = operation;
    if (!seen) continue;
    delete operation[extension];
    for (const answer of Object.values(operation.responses['200']?.content ?? {})) {
      if (answer.schema) answer.schema = { anyOf: [answer.schema, seen] };
    }
  }
  return document;
}
