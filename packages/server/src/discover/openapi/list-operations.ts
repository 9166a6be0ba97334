import { isObject } from '../../validation/json-schema/check.ts';
import { type JsonObject, type OpenApiDocument, type Resolve, textOf } from './document.ts';

export interface ListedOperation {
  method: string;
  path: string;
  operation: JsonObject;
  pathItem: JsonObject;
}

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

/** Finds operations by id or as `GET /path`, and lists the names that match nothing. */
export function findOperations(operations: readonly ListedOperation[], names: readonly string[]) {
  const byName = new Map<string, ListedOperation>();
  for (const listed of operations) {
    byName.set(addressOf(listed), listed);
    const id = textOf(listed.operation['operationId']);
    if (id && !byName.has(id)) byName.set(id, listed);
  }
  const find = (name: string) => {
    const [method = '', ...rest] = name.trim().split(/\s+/);
    return byName.get(name.trim()) ?? byName.get(`${method.toUpperCase()} ${rest.join(' ')}`);
  };
  const found = new Set(names.flatMap((name) => find(name) ?? []));
  return { found: [...found], unknown: names.filter((name) => !find(name)) };
}

export const addressOf = ({ method, path }: ListedOperation) => `${method} ${path}`;

/** A short, unique function name, made from the operation's id or else its address. */
export function nameOperation({ method, path, operation }: ListedOperation, taken: Set<string>): string {
  const own = textOf(operation['operationId']) || `${method.toLowerCase()} ${path}`;
  const bent = own.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || method.toLowerCase();
  let name = bent.slice(0, 60);
  for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${bent.slice(0, 56)}_${count}`;
  taken.add(name.toLowerCase());
  return name;
}
