import { isObject } from '../../validation/json-schema/check.ts';
import { type JsonObject, listOf, type OpenApiDocument, type Resolve, textOf } from './document.ts';

export interface ListedOperation {
  method: string;
  path: string;
  operation: JsonObject;
  pathItem: JsonObject;
}

const mostWords = 50;
const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];

export function listOperations({ paths }: OpenApiDocument, resolve: Resolve): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const pathItem = path.startsWith('/') ? resolve(item) : undefined;
    if (!pathItem) return [];
    return methods.flatMap((method) => {
      const operation = pathItem[method];
      return isObject(operation) ? [{ method: method.toUpperCase(), path, operation, pathItem }] : [];
    });
  });
}

/** What shares most words with the goal comes first; the document's order decides the rest. */
export function rankOperations(operations: ListedOperation[], goal: string | undefined): ListedOperation[] {
  const words = new Set(
    goal
      ?.toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu)
      ?.slice(0, mostWords),
  );
  if (words.size === 0) return operations;
  const scored = operations.map((listed) => {
    const { method, path, operation } = listed;
    const said = [operation['operationId'], operation['summary'], operation['description']].map(textOf);
    const text = [method, path, ...said, ...listOf(operation['tags']).map(textOf)].join(' ').toLowerCase();
    return { listed, score: [...words].filter((word) => text.includes(word)).length };
  });
  return scored.toSorted((left, right) => right.score - left.score).map(({ listed }) => listed);
}

/** Short, unique and fit for a model's function: the operation's own id, or what its address says. */
export function nameOperation({ method, path, operation }: ListedOperation, taken: Set<string>): string {
  const own = textOf(operation['operationId']) || `${method.toLowerCase()} ${path}`;
  const bent = own.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || method.toLowerCase();
  let name = bent.slice(0, 60);
  for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${bent.slice(0, 56)}_${count}`;
  taken.add(name.toLowerCase());
  return name;
}
