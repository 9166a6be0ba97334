import type { Role } from '@svc/contract/roles';
import type { TestApp } from './test-app.ts';

export interface Operation {
  /** `POST /api/v1/bots/{id}` */
  name: string;
  method: string;
  path: string;
  /** How a caller authenticates; `none` for public operations. */
  scheme: string;
  ability: string | undefined;
  /** The least role of the members who may call it, signed in to the console; undefined if it belongs to no workspace. */
  role: Role | undefined;
  /** Every way to authenticate, the first one included. */
  security: string[];
  id: string | undefined;
  tags: string[];
  summary: string | undefined;
  parameters: { in: string; name: string; required?: boolean }[];
  body: { schema: JsonSchema; example: unknown; maxBytes: number } | undefined;
  /** The accepted content types other than JSON, with the number of files that each takes. */
  forms: { type: string; maxFiles: number }[];
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

export interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: unknown;
  $ref?: string;
  [keyword: string]: unknown;
}

interface OpenApiOperation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: Operation['parameters'];
  'x-body-limit-bytes'?: number;
  'x-console-role'?: Role;
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown; examples?: object }> };
  responses: Operation['responses'];
}

/** Every operation in the OpenAPI document of the service. */
export async function readOperations({ url }: Pick<TestApp, 'url'>): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, OpenApiOperation>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(method.toUpperCase(), path, operation)),
  );
}

function toOperation(method: string, path: string, operation: OpenApiOperation): Operation {
  // Visitor tokens come with a widget key, which is named first.
  const [scheme, abilities] = Object.entries(operation.security?.[0] ?? {}).at(-1) ?? ['none', []];
  const json = operation.requestBody?.content['application/json'];
  return {
    name: `${method} ${path}`,
    method,
    path,
    scheme,
    ability: abilities[0],
    role: operation['x-console-role'],
    security: (operation.security ?? []).flatMap(Object.keys),
    id: operation.operationId,
    tags: operation.tags ?? [],
    summary: operation.summary,
    parameters: operation.parameters ?? [],
    body: json && {
      schema: json.schema,
      example: json.example ?? firstExample(json.examples),
      maxBytes: operation['x-body-limit-bytes'] ?? 0,
    },
    forms: Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
      type === 'application/json'
        ? []
        : [{ type, maxFiles: Number(schema.properties?.['files']?.['maxItems']) }],
    ),
    responses: operation.responses,
  };
}

/** A body that an operation accepts; undefined if it takes none. */
export function exampleOf({ body, forms }: Operation): unknown {
  if (body || forms.length === 0) return body?.example;
  const form = new FormData();
  form.append('files', new Blob(['%PDF-1.7']), 'example.pdf');
  return form;
}

function firstExample(examples: object | undefined): unknown {
  const first: unknown = Object.values(examples ?? {})[0];
  return first && typeof first === 'object' && 'value' in first ? first.value : first;
}

/** The resource that an id in a query names. */
const queryIds: Record<string, string> = {
  conversation_id: 'conversations',
  bot_id: 'bots',
  message_id: 'messages',
  tool_id: 'tools',
  turn_id: 'turns',
  session_token: 'voice-sessions',
  id: 'bots',
};

/** For parameters that name nothing and cannot be left out. */
const queryValues: Record<string, string> = { format: 'csv', month: '2026-11', voice: 'local/slt' };

function idParameters({ parameters }: Operation): string[] {
  return parameters.filter((one) => one.in === 'query' && one.name in queryIds).map((one) => one.name);
}

/** The resources that ids in the query name, in order. */
export function queryResources(operation: Operation): string[] {
  return idParameters(operation).map((name) => queryIds[name] ?? '');
}

/** The path with its ids filled in, first those in the path, then those in the query, and with what else is required. */
export function fillIds(operation: Operation, ids: string[]): string {
  const inPath = pathResources(operation.path).length;
  const query = [
    ...idParameters(operation).map((name, index) => `${name}=${ids[inPath + index] ?? 'missing'}`),
    ...operation.parameters
      .filter((one) => one.in === 'query' && one.required && one.name in queryValues)
      .map(({ name }) => `${name}=${queryValues[name]}`),
  ];
  return `${fillPath(operation.path, ids.slice(0, inPath))}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

export function isEventStream({ responses }: Operation): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined;
}

/** Fills the `{…}` of a path from left to right. */
export function fillPath(path: string, ids: string[]): string {
  const remaining = [...ids];
  return path.replaceAll(/\{[^}]+\}/g, () => remaining.shift() ?? 'missing');
}

/** The resources a path names, in order: `/bots/{botID}/post-call-hooks/{hookID}` → bots, post-call-hooks. */
export function pathResources(path: string): string[] {
  // Account keys are called keys, too.
  return [...path.replace('/widgets/keys/', '/widget-keys/').matchAll(/([^/]+)\/\{[^}]+\}/g)].map(
    (match) => match[1] ?? '',
  );
}
