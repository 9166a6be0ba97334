import { expect, it } from 'vitest';
import { createToolRegistry } from '../../tools/tool-registry.ts';
import { httpRequestDescription } from '../../tools/types/http-request/http-request-description.ts';
import { createDraftCheck } from '../check-draft.ts';
import { createResolve } from './document.ts';
import { draftFromOpenApi } from './draft-openapi-tools.ts';
import { listOperations } from './list-operations.ts';
import { fromSwagger2 } from './swagger-2.ts';

const check = createDraftCheck(
  createToolRegistry([{ ...httpRequestDescription, functions: async () => [] }]),
);

/** A document with as many paths as parameters, all of which every path has, and how often one of them was read. */
function shared(count: number) {
  let reads = 0;
  const parameters = Array.from({ length: count }, (_entry, index) => ({
    name: `p${index}`,
    type: 'string',
    get in() {
      reads += 1;
      return 'query';
    },
  }));
  const paths: Record<string, unknown> = { '/a': { parameters, get: { summary: 'List pets' } } };
  for (let index = 1; index < count; index += 1) paths[`/a${index}`] = { $ref: '#/paths/~1a' };
  return { document: { swagger: '2.0', paths }, readsSoFar: () => reads };
}

function readsFor(count: number): number {
  const { document, readsSoFar } = shared(count);
  const source = { url: undefined, field: 'url', goal: 'list pets', operations: undefined };
  draftFromOpenApi({ ...fromSwagger2(document), ...source }, check, () => undefined);
  expect(readsSoFar()).toBeGreaterThan(0);
  return readsSoFar();
}

it('costs in proportion to its length, even if every path refers to the same parameters', () => {
  expect(readsFor(2_000)).toBeLessThanOrEqual(2 * readsFor(1_000));
});

it('reads no more parameters of an operation than one above the limit, which is then noted', () => {
  const { document } = shared(1_000);
  const { document: read, convert } = fromSwagger2(document);
  const [first] = listOperations(read, createResolve(read));
  expect(first && convert(first).pathItem['parameters']).toHaveLength(201);
});
